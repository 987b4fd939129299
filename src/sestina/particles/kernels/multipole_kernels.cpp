// Compiled once for each instruction set: see the header, and CMakeLists.txt for the flags.
#include "sestina/particles/kernels/multipole_kernels.h"

#include "sestina/particles/kernels/lanes.h"

namespace sestina {
namespace {

// out = A in, for a matrix of numbers and vectors in lanes; four rows share what they read of `in`.
[[gnu::always_inline]] inline void multiply(const double* A, int rows, int columns, const double* in,
                                            double* out) {
  int i = 0;
  for (; i + 4 <= rows; i += 4) {
    Lanes a{}, b{}, c{}, d{};
    const double* row = A + i * columns;
    for (int k = 0; k < columns; ++k) {
      const Lanes v = load(in + 8 * k);
      a += row[k] * v;
      b += row[k + columns] * v;
      c += row[k + 2 * columns] * v;
      d += row[k + 3 * columns] * v;
    }
    store(a, out + 8 * i), store(b, out + 8 * i + 8);
    store(c, out + 8 * i + 16), store(d, out + 8 * i + 24);
  }
  for (; i < rows; ++i) {
    Lanes a{};
    for (int k = 0; k < columns; ++k) a += A[i * columns + k] * load(in + 8 * k);
    store(a, out + 8 * i);
  }
}

// Rotates about z: v_m e^(-i m phi), or e^(i m phi) with sign = -1.
[[gnu::always_inline]] inline void turn_about_z(int order, const TurnTables& turn, double sign, double* v) {
  for (int n = 1; n <= order; ++n) {
    double *const real = v + 8 * n * n, *const imaginary = real + 8 * n;
    for (int m = 1; m <= n; ++m) {
      const Lanes a = load(real + 8 * m), b = load(imaginary + 8 * m);
      const double c = turn.cosines[m], s = sign * turn.sines[m];
      store(c * a + s * b, real + 8 * m);
      store(c * b - s * a, imaginary + 8 * m);
    }
  }
}

[[gnu::always_inline]] inline void turn_about_y(int order, const double* tables, const double* in,
                                                double* out) {
  for (int n = 0; n <= order; ++n) {
    const double* const from = in + 8 * n * n;
    double* const to = out + 8 * n * n;
    multiply(tables, n + 1, n + 1, from, to);
    tables += (n + 1) * (n + 1);
    multiply(tables, n, n, from + 8 * (n + 1), to + 8 * (n + 1));
    tables += n * n;
  }
}

// Shifts along z, which do not mix different m.
[[gnu::always_inline]] inline void shift_along_z(int order, const double* tables, const double* in,
                                                 double* out, double* column) {
  for (int m = 0; m <= order; ++m) {
    const int size = order + 1 - m;
    double* const result = column + 8 * size;
    for (int part = 0; part < (m == 0 ? 1 : 2); ++part) {
      const auto place = [&](int n) __attribute__((always_inline)) { return 8 * (n * n + m + part * n); };
      for (int n = m; n <= order; ++n) store(load(in + place(n)), column + 8 * (n - m));
      multiply(tables, size, size, column, result);
      for (int n = m; n <= order; ++n) store(load(result + 8 * (n - m)), out + place(n));
    }
    tables += size * size;
  }
}

void translate(const TranslationTask& task) {
  const int p = task.order, size = (p + 1) * (p + 1);
  double *const a = task.scratch, *const b = a + 8 * size, *const column = b + 8 * size;
  for (int n = 0; n <= p; ++n) {
    for (int i = n * n; i < (n + 1) * (n + 1); ++i) {
      for (int l = 0; l < 8; ++l) a[8 * i + l] = task.scale_in[n] * task.from[l][i];
    }
  }
  turn_about_z(p, task.turn, 1.0, a);
  turn_about_y(p, task.turn.to_axis, a, b);
  shift_along_z(p, task.shift, b, a, column);
  turn_about_y(p, task.turn.from_axis, a, b);
  turn_about_z(p, task.turn, -1.0, b);
  for (int l = 0; l < 8; ++l) {
    if (task.to[l] == nullptr) continue;
    for (int n = 0; n <= p; ++n) {
      for (int i = n * n; i < (n + 1) * (n + 1); ++i) task.to[l][i] += task.scale_out[n] * b[8 * i + l];
    }
  }
}

struct Offset {
  Lanes x, y, z;
};

[[gnu::always_inline]] inline Offset offset_of(const PointTask& task, int i) {
  const double s = task.inverse_side;
  return {(load(task.x + i) - task.center[0]) * s, (load(task.y + i) - task.center[1]) * s,
          (load(task.z + i) - task.center[2]) * s};
}

// Computes Upsilon_n^m for all n <= p, m >= 0 (fast_multipole.h, (3)), in v in lanes.
[[gnu::always_inline]] inline void calc_regular(int order, const Offset& r, double* v) {
  const Lanes r2 = r.x * r.x + r.y * r.y + r.z * r.z;
  Lanes real = Lanes{} + 1.0, imaginary{};
  for (int m = 0; m <= order; ++m) {
    if (m > 0) {
      const double f = -0.5 / m;
      const Lanes a = f * (r.x * real - r.y * imaginary);
      imaginary = f * (r.x * imaginary + r.y * real);
      real = a;
    }
    Lanes a0 = real, b0 = imaginary, a1{}, b1{};  // degree n, n - 1
    for (int n = m; n <= order; ++n) {
      if (n > m) {
        const double f = 1.0 / (static_cast<double>(n) * n - static_cast<double>(m) * m);
        const Lanes zf = ((2 * n - 1) * f) * r.z, rf = f * r2;
        const Lanes a = zf * a0 - rf * a1, b = zf * b0 - rf * b1;
        a1 = a0, b1 = b0, a0 = a, b0 = b;
      }
      store(a0, v + 8 * (n * n + m));
      if (m > 0) store(b0, v + 8 * (n * n + n + m));
    }
  }
}

// Computes Theta_n^m likewise (4).
[[gnu::always_inline]] inline void calc_irregular(int order, const Offset& r, double* v) {
  const Lanes r2 = r.x * r.x + r.y * r.y + r.z * r.z;
  const Lanes inverse2 = 1.0 / r2;
  Lanes real{}, imaginary{};
  for (int l = 0; l < 8; ++l) real[l] = __builtin_sqrt(inverse2[l]);
  for (int m = 0; m <= order; ++m) {
    if (m > 0) {
      const Lanes f = (1.0 - 2 * m) * inverse2;
      const Lanes a = f * (r.x * real - r.y * imaginary);
      imaginary = f * (r.x * imaginary + r.y * real);
      real = a;
    }
    Lanes a0 = real, b0 = imaginary, a1{}, b1{};
    for (int n = m; n <= order; ++n) {
      if (n > m) {
        const Lanes zf = (2.0 * n - 1.0) * r.z * inverse2;
        const Lanes rf = (static_cast<double>(n - 1) * (n - 1) - static_cast<double>(m) * m) * inverse2;
        const Lanes a = zf * a0 - rf * a1, b = zf * b0 - rf * b1;
        a1 = a0, b1 = b0, a0 = a, b0 = b;
      }
      store(a0, v + 8 * (n * n + m));
      if (m > 0) store(b0, v + 8 * (n * n + n + m));
    }
  }
}

template <bool kRegular>
[[gnu::always_inline]] inline void add_sources(const PointTask& task) {
  const int size = (task.order + 1) * (task.order + 1);
  double* const v = task.scratch;
  for (int i = task.begin; i < task.end; i += 8) {
    const Offset r = offset_of(task, i);
    if constexpr (kRegular) calc_regular(task.order, r, v);
    if constexpr (!kRegular) calc_irregular(task.order, r, v);
    Lanes q{};
    for (int l = 0; l < 8 && i + l < task.end; ++l) q[l] = task.charge[i + l];
    for (int k = 0; k < size; ++k) task.expansion[k] += sum_of(q * load(v + 8 * k));
  }
}

template <bool kRegular>
[[gnu::always_inline]] inline void add_fields(const PointTask& task) {
  const int size = (task.order + 1) * (task.order + 1);
  double* const v = task.scratch;
  const double *const f = task.fields, *const fx = f + size, *const fy = fx + size, *const fz = fy + size;
  for (int i = task.begin; i < task.end; i += 8) {
    const Offset r = offset_of(task, i);
    if constexpr (kRegular) calc_regular(task.order, r, v);
    if constexpr (!kRegular) calc_irregular(task.order, r, v);
    Lanes u{}, ux{}, uy{}, uz{};
    for (int k = 0; k < size; ++k) {
      const Lanes w = load(v + 8 * k);
      u += f[k] * w, ux += fx[k] * w, uy += fy[k] * w, uz += fz[k] * w;
    }
    const int count = task.end - i < 8 ? task.end - i : 8;
    for (int l = 0; l < count; ++l) {
      task.potential[i + l] += u[l];
      task.gx[i + l] += ux[l], task.gy[i + l] += uy[l], task.gz[i + l] += uz[l];
    }
  }
}

void add_regular(const PointTask& task) { add_sources<true>(task); }
void add_irregular(const PointTask& task) { add_sources<false>(task); }
void evaluate_regular(const PointTask& task) { add_fields<true>(task); }
void evaluate_irregular(const PointTask& task) { add_fields<false>(task); }

}  // namespace

const MultipoleKernels* SESTINA_MULTIPOLE_TABLE();

const MultipoleKernels* SESTINA_MULTIPOLE_TABLE() {
  static constexpr MultipoleKernels kKernels{translate, add_regular, add_irregular, evaluate_regular,
                                             evaluate_irregular};
  return &kKernels;
}

}  // namespace sestina
