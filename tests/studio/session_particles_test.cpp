#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>

#include "sestina/base/error.h"
#include "studio/session.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Two particles without forces: x = x0 + v t, folded into the box from -1 to 3.
constexpr const char* kGas =
    "sestina: 1\n"
    "particles:\n"
    "  species: [{name: a, mass: 1}, {name: b, mass: 2}]\n"
    "  box: {lengths: [4, 4, 4], lower: [-1, -1, -1]}\n"
    "  positions: {list: [[b, 0, 1, 1], [a, 0, 0, 0]]}\n"
    "  velocities: [[1, 0, 0], [0, 0.25, 0]]\n"
    "  trajectory: {file: gas.h5, every: 0.5}\n"
    "analysis: {step: {dt: 0.0625}, duration: 8}\n"
    "output: {every: 0.25}\n";
constexpr std::size_t kRows = 33, kColumns = 9;

class SessionParticlesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sestina_session_particles_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    file_ = folder_ / "gas.yaml";
    std::ofstream(file_) << kGas;
    session_ = std::make_unique<Session>(file_, folder_,
                                         [this](int client, const std::shared_ptr<const Message>& message) {
                                           if (message->is_text) {
                                             take_text(client, message->bytes);
                                           } else {
                                             take_rows(client, message->bytes);
                                           }
                                         });
    session_->join(1);
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }
  // A client as the page is one: t and the positions of each row.
  struct Client {
    std::map<std::string, std::string> last;  // text by type
    std::vector<std::pair<double, std::vector<float>>> rows;
    std::size_t columns = 0, kept = 0;
  };
  void take_text(int client, const std::string& text) {
    Client& own = clients_[client];
    const std::string type = text.substr(9, text.find('"', 9) - 9);
    own.last[type] = text;
    if (type == "keep") {
      std::size_t rows = 0, stride = 0;
      ASSERT_EQ(std::sscanf(text.c_str(), R"({"type":"keep","rows":%zu,"stride":%zu})", &rows, &stride), 2);
      ASSERT_EQ(stride, 1u);  // few rows
      own.rows.resize(rows);
    }
    if (type == "scene") own.columns = text.find("energy.total") == std::string::npos ? 1 : kColumns;
  }
  void take_rows(int client, const std::string& bytes) {
    Client& own = clients_[client];
    std::uint32_t head[2];
    std::memcpy(head, bytes.data(), sizeof head);
    if (head[0] == 1) own.rows.clear();
    const std::size_t rows = head[1];
    ASSERT_EQ(bytes.size(), 8 + rows * (6 * sizeof(float) + own.columns * sizeof(double)));
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<float> positions(6);
      double t = 0.0;
      std::memcpy(positions.data(), bytes.data() + 8 + 24 * i, 24);
      std::memcpy(&t, bytes.data() + 8 + 24 * rows + i * own.columns * sizeof(double), sizeof t);
      own.rows.emplace_back(t, positions);
    }
  }
  std::string last(const std::string& type, int client = 1) { return clients_[client].last[type]; }
  // Ticks until something holds, for 20 s at most.
  template <class Condition>
  bool wait_for(Condition holds) {
    for (int i = 0; i < 4000; ++i) {
      session_->tick();
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  std::size_t rows(int client = 1) { return clients_[client].rows.size(); }
  void expect_free_motion(int client) {
    for (const auto& [t, x] : clients_[client].rows) {
      const double folded = std::fmod(t + 1.0, 4.0) - 1.0;
      const double expected[] = {folded, 1, 1, 0, std::fmod(0.25 * t + 1.0, 4.0) - 1.0, 0};
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(x[k], expected[k], 1e-6) << "t = " << t;
    }
  }

  fs::path folder_, file_;
  std::map<int, Client> clients_;
  std::unique_ptr<Session> session_;
};

TEST_F(SessionParticlesTest, ShowsTheStartAndRunsWhenAsked) {
  EXPECT_THAT(last("document"), HasSubstr("\"faults\":[]"));
  EXPECT_THAT(last("scene"), HasSubstr("there is no gas.h5 yet"));
  EXPECT_EQ(rows(), 1u);
  EXPECT_FALSE(session_->is_running());
  session_->handle(1, R"({"type":"run"})");
  ASSERT_TRUE(wait_for([&] { return rows() == kRows && !session_->is_running(); }));
  session_->tick();
  EXPECT_THAT(last("scene"), HasSubstr(R"({"name":"energy.total","unit":"J"})"));
  EXPECT_THAT(last("scene"), HasSubstr(R"("notes":[])"));
  EXPECT_THAT(last("status"), HasSubstr(R"("running":false,"failed":false,"live":false)"));
  EXPECT_DOUBLE_EQ(clients_[1].rows.back().first, 8.0);
  expect_free_motion(1);
  session_->join(2);  // comes later and sees the same
  EXPECT_EQ(clients_[2].rows, clients_[1].rows);
  EXPECT_FALSE(fs::exists(folder_ / "gas.h5"));  // runs of the studio write no files
}

TEST_F(SessionParticlesTest, PausesStepsByRowsAndContinuesALiveRun) {
  session_->handle(1, R"({"type":"live","speed":0.5})");
  ASSERT_TRUE(wait_for([&] { return rows() > 2 && clients_[1].columns > 1; }));
  session_->handle(1, R"({"type":"pause","pause":true})");
  session_->join(2);
  EXPECT_THAT(last("hello", 2), HasSubstr("\"editor\":false"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  session_->tick();
  const std::size_t before = rows();
  ASSERT_LT(before, kRows);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // some ten rows of a run that is not paused
  session_->tick();
  EXPECT_EQ(rows(), before);
  EXPECT_TRUE(session_->is_running());
  for (std::size_t i = 1; i <= 3; ++i) {
    session_->handle(1, R"({"type":"step"})");
    ASSERT_TRUE(wait_for([&] { return rows() == before + i; }));
  }
  EXPECT_THAT(last("status"), HasSubstr(R"("running":true,"failed":false,"live":true)"));
  session_->handle(1, R"({"type":"live","t":1,"speed":100})");  // continues
  ASSERT_TRUE(wait_for([&] { return rows() == kRows && !session_->is_running(); }));
  expect_free_motion(1);
  EXPECT_EQ(clients_[2].rows, clients_[1].rows);
}

TEST_F(SessionParticlesTest, ALiveRunKeepsItsPaceAndStops) {
  const auto begin = std::chrono::steady_clock::now();
  session_->handle(1, R"({"type":"live","speed":0.5})");  // 30 rows a second: 0.5 s for 16 of them
  ASSERT_TRUE(wait_for([&] { return clients_[1].columns > 1 && rows() >= 16; }));
  EXPECT_GE(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 0.45);
  session_->handle(1, R"({"type":"stop"})");
  ASSERT_TRUE(wait_for([&] { return !session_->is_running(); }));
  session_->tick();
  EXPECT_LT(rows(), kRows);
  EXPECT_THAT(last("status"), HasSubstr("\"text\":\"stopped\""));
  session_->handle(1, R"({"type":"live","speed":100})");  // begins anew
  ASSERT_TRUE(wait_for([&] { return rows() == kRows; }));
}

TEST_F(SessionParticlesTest, EditsEndTheRunAndShowTheNewStart) {
  session_->handle(1, R"({"type":"live"})");
  ASSERT_TRUE(wait_for([&] { return clients_[1].columns > 1; }));
  session_->handle(1, R"({"type":"set","path":"output.every","value":"0.5"})");
  EXPECT_FALSE(session_->is_running());
  EXPECT_EQ(rows(), 1u);
  session_->handle(1, R"({"type":"run"})");
  ASSERT_TRUE(wait_for([&] { return rows() == 17; }));
  session_->handle(1, R"({"type":"set","path":"output.every","value":"-1"})");
  EXPECT_THAT(last("document"), HasSubstr("-1"));
  EXPECT_THAT(last("document"), testing::Not(HasSubstr("\"faults\":[]")));
  session_->handle(1, R"({"type":"live"})");
  EXPECT_THAT(last("error"), HasSubstr("the model has faults"));
}

TEST_F(SessionParticlesTest, ReadsNoTrajectoryOutsideOfTheFolder) {
  session_->handle(1, R"({"type":"set","path":"particles.trajectory.file","value":"../other.h5"})");
  EXPECT_THAT(last("document"), HasSubstr("outside of the folder of the model"));
}

TEST_F(SessionParticlesTest, RefusesMoreParticlesThanItCanShow) {
  EXPECT_NO_THROW(ParticleStage(Document(file_), 48));
  try {
    const ParticleStage stage(Document(file_), 47);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there are 2; the studio shows at most 1"));
  }
}

}  // namespace
}  // namespace sestina::studio
