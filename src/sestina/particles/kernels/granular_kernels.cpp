// Compiled once for each instruction set: see the header, and CMakeLists.txt for the flags.
//
// Everything here but the last function is in an unnamed namespace, so that no inline function compiled for
// one processor can replace the same one compiled for all.
#include "sestina/particles/kernels/granular_kernels.h"

#include "sestina/particles/kernels/lane_mechanics.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace sestina {
namespace {

[[gnu::always_inline]] inline Lanes root(const Lanes& a) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(Lanes, _mm512_maskz_sqrt_pd(0xFF, __builtin_bit_cast(__m512d, a)));
#else
  Lanes b;
  for (int l = 0; l < kWidth; ++l) b[l] = __builtin_sqrt(a[l]);
  return b;
#endif
}

// Transposes an 8 x 8 matrix.
[[gnu::always_inline]] inline void transpose(Lanes (&a)[8]) {
  Lanes b[8];
  for (int i = 0; i < 8; i += 2) {  // in blocks of 2 x 2
    b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {  // of 4 x 4
    for (int k = i; k < i + 2; ++k) {
      a[k] = __builtin_shufflevector(b[k], b[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      a[k + 2] = __builtin_shufflevector(b[k], b[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    b[i] = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    b[i + 4] = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int i = 0; i < 8; ++i) a[i] = b[i];
}

struct LawLanes {
  Lanes hertz, stiffness, tangential_stiffness, viscous, tangential_viscous, restitution,
      tangential_restitution, friction, rolling_friction;
};

[[gnu::always_inline]] inline LawLanes laws_of(const GrainContactTask& task, int begin) {
  LawLanes c;
  for (int l = 0; l < kWidth; ++l) {
    const GrainLaw& law = task.laws[task.law[begin + l]];
    c.hertz[l] = law.hertz;
    c.stiffness[l] = law.stiffness, c.tangential_stiffness[l] = law.tangential_stiffness;
    c.viscous[l] = law.viscous, c.tangential_viscous[l] = law.tangential_viscous;
    c.restitution[l] = law.restitution, c.tangential_restitution[l] = law.tangential_restitution;
    c.friction[l] = law.friction, c.rolling_friction[l] = law.rolling_friction;
  }
  return c;
}

[[gnu::always_inline]] inline bool is_law_of_block(const GrainContactTask& task, int begin,
                                                   std::uint8_t law) {
  std::uint64_t eight;
  __builtin_memcpy(&eight, task.law + begin, 8);
  return eight == 0x0101010101010101U * law;
}

// Spring, dashpot and slider: returns the force -(k u + c v), at most `limit`. u first increases by h v, is
// made perpendicular to n, and is shortened where the contact slips.
[[gnu::always_inline]] inline Vector slide(const Lanes& k, const Lanes& c, const Lanes& limit, double h,
                                           const Vector& v, const Vector& n, Vector& u) {
  const Lanes zero{}, step = zero + h;
  u = u + step * v;
  u = u - dot(u, n) * n;
  const Vector f = k * u + c * v;
  const Lanes size2 = dot(f, f);
  const LaneMask slips = size2 > limit * limit;
  // Without a history, as in the first step of a contact at t = 0, there is no direction of slip.
  const Lanes factor = slips ? (dot(u, u) > zero ? limit / root(size2) : zero) : zero + 1.0;
  const Lanes lag = c / k;
  const Vector slipped = factor * (u + lag * v) - lag * v;
  const LaneMask shortens = slips & (dot(u, u) > zero);
  u.x = shortens ? slipped.x : u.x;
  u.y = shortens ? slipped.y : u.y;
  u.z = shortens ? slipped.z : u.z;
  return -factor * f;
}

// Returns x less the nearest multiple of the period; x itself if `inverse` is 0.
[[gnu::always_inline]] inline Lanes nearest(const Lanes& x, double period, double inverse) {
  constexpr double kRounds = 6755399441055744.0;  // 1.5 2^52: the sum has no digits behind the point
  const Lanes turns = (x * inverse + kRounds) - kRounds;
  return x - turns * period;
}

struct Grains {
  Vector x, v, w;
  Lanes radius, inverse_mass, curvature;
};

[[gnu::always_inline]] inline Grains load_grains(const double* grains, const std::int32_t* which) {
  Lanes a[8], b[8];
  for (int l = 0; l < kWidth; ++l) {
    const double* const record = grains + static_cast<std::int64_t>(which[l]) * kGrainRecord;
    a[l] = load(record), b[l] = load(record + 8);
  }
  transpose(a), transpose(b);
  return {{a[0], a[1], a[2]}, {a[4], a[5], a[6]}, {b[0], b[1], b[2]}, a[3], a[7], b[3]};
}

struct Normal {
  Vector n;        // from the second sphere to the first
  Lanes gap, sum;  // overlap m; radii
  LaneMask touches;
};

[[gnu::always_inline]] inline Normal normal_of(const Grains& i, const Grains& j,
                                               const GrainContactTask& task) {
  const auto inverse = [](double period) { return period > 0.0 ? 1.0 / period : 0.0; };
  Vector d = i.x - j.x;
  d.x = nearest(d.x, task.period[0], inverse(task.period[0]));
  d.y = nearest(d.y, task.period[1], inverse(task.period[1]));
  d.z = nearest(d.z, task.period[2], inverse(task.period[2]));
  Normal found;
  const Lanes r2 = dot(d, d), r = root(r2);
  found.sum = i.radius + j.radius;
  found.touches = r2 < found.sum * found.sum;
  found.n = (1.0 / r) * d;
  found.gap = found.sum - r;
  return found;
}

[[gnu::always_inline]] inline Lanes masked(const LaneMask& mask, const Lanes& a) {
  const Lanes zero{};
  return mask ? a : zero;
}

[[gnu::always_inline]] inline void store_history(const LaneMask& touches, const Vector& u,
                                                 double* const* history, int at) {
  store(masked(touches, u.x), history[0] + at);
  store(masked(touches, u.y), history[1] + at);
  store(masked(touches, u.z), history[2] + at);
}

[[gnu::always_inline]] inline Vector load_history(double* const* history, int at) {
  return {load(history[0] + at), load(history[1] + at), load(history[2] + at)};
}

[[gnu::always_inline]] inline Lanes absolute(const Lanes& a) {
  const Lanes zero{};
  return a < zero ? -a : a;
}

template <bool kPlain, bool kRolling>
[[gnu::always_inline]] inline void add_block(const GrainContactTask& task, int at, const LawLanes& c) {
  const Grains i = load_grains(task.grains, task.first + at), j = load_grains(task.grains, task.second + at);
  const Normal found = normal_of(i, j, task);
  const Vector& n = found.n;
  const Vector relative = i.v - j.v - cross(i.radius * i.w + j.radius * j.w, n);
  const Lanes speed = dot(relative, n), mass = 1.0 / (i.inverse_mass + j.inverse_mass);
  const Vector tangential = relative - speed * n;
  const Lanes radius = 1.0 / (i.curvature + j.curvature);
  Lanes k = c.stiffness, k_t = c.tangential_stiffness;
  Lanes c_n = mass * c.viscous, c_t = mass * c.tangential_viscous;
  if constexpr (!kPlain) {
    const Lanes s = c.hertz * root(radius * found.gap) + (1.0 - c.hertz);
    const Lanes critical = root(mass * k * s);
    k *= s, k_t *= s;
    c_n = s * c_n + c.restitution * critical;
    c_t = s * c_t + c.tangential_restitution * critical;
  }
  const Lanes push = k * found.gap - c_n * speed, size = absolute(push);
  Vector u = load_history(task.history, at);
  const Vector rub = slide(k_t, c_t, c.friction * size, task.h, tangential, n, u);
  store_history(found.touches, u, task.history, at);
  const Vector couple = cross(n, rub);
  const Lanes none{};
  Lanes rows[8] = {masked(found.touches, push * n.x + rub.x), masked(found.touches, push * n.y + rub.y),
                   masked(found.touches, push * n.z + rub.z), none,
                   masked(found.touches, couple.x),           masked(found.touches, couple.y),
                   masked(found.touches, couple.z),           none};
  transpose(rows);
  for (int l = 0; l < kWidth; ++l) store(rows[l], task.records + (at + l) * std::int64_t{kContactRecord});
  if constexpr (kRolling) {
    double* const history[3] = {task.history[3], task.history[4], task.history[5]};
    Vector x = load_history(history, at);
    const Vector rolls = radius * cross(i.w - j.w, n);
    const Vector f = slide(k_t, c_t, c.rolling_friction * size, task.h, rolls, n, x);
    store_history(found.touches, x, history, at);
    const Vector turn = radius * cross(n, f);
    const Vector kept{masked(found.touches, turn.x), masked(found.touches, turn.y),
                      masked(found.touches, turn.z)};
    for (int l = 0; l < kWidth; ++l) {
      double* const to = task.rolling + (at + l) * std::int64_t{4};
      to[0] = kept.x[l], to[1] = kept.y[l], to[2] = kept.z[l];
    }
  }
}

template <bool kPlain, bool kRolling>
void add_blocks(const GrainContactTask& task) {
  std::uint8_t cached = task.begin < task.end ? task.law[task.begin] : std::uint8_t{0};
  LawLanes c{};
  bool is_cached = false;
  for (int at = task.begin; at < task.end; at += kWidth) {
    if (!is_cached || !is_law_of_block(task, at, cached)) {
      c = laws_of(task, at);
      cached = task.law[at];
      is_cached = is_law_of_block(task, at, cached);
    }
    add_block<kPlain, kRolling>(task, at, c);
  }
}

void contacts(const GrainContactTask& task) {
  if (task.has_rolling) return task.is_plain ? add_blocks<true, true>(task) : add_blocks<false, true>(task);
  return task.is_plain ? add_blocks<true, false>(task) : add_blocks<false, false>(task);
}

double sums(const GrainSumTask& task) {
  const Lanes sign[2] = {Lanes{} + 1.0, {-1, -1, -1, -1, 1, 1, 1, 1}};
  double power = 0.0;
  for (int i = task.begin; i < task.end; ++i) {
    Lanes sum{};
    double roll[3] = {};
    for (std::int32_t e = task.begins[i]; e < task.begins[i + 1]; ++e) {
      const std::int64_t contact = task.entries[e] >> 1;
      const int side = task.entries[e] & 1;
      sum += sign[side] * load(task.records + contact * kContactRecord);
      if (task.rolling == nullptr) continue;
      for (int a = 0; a < 3; ++a) roll[a] += (side == 0 ? 1.0 : -1.0) * task.rolling[contact * 4 + a];
    }
    const double* const grain = task.grains + static_cast<std::int64_t>(i) * kGrainRecord;
    const double arm = grain[3];
    const Lanes scale = {1, 1, 1, 1, -arm, -arm, -arm, -arm};
    sum = scale * sum + Lanes{0, 0, 0, 0, roll[0], roll[1], roll[2], 0};
    double* const kept = task.sums + static_cast<std::int64_t>(i) * 8;
    const Lanes twice = sum + load(kept);
    store(sum, kept);
    power += 0.5 * ((twice[0] * grain[4] + twice[1] * grain[5] + twice[2] * grain[6]) +
                    (twice[4] * grain[8] + twice[5] * grain[9] + twice[6] * grain[10]));
  }
  return power;
}

}  // namespace

const GranularKernels* SESTINA_GRANULAR_TABLE();

const GranularKernels* SESTINA_GRANULAR_TABLE() {
  static constexpr GranularKernels kKernels{contacts, sums};
  return &kKernels;
}

}  // namespace sestina
