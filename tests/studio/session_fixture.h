// A studio with the model of a pendulum in a folder of its own, and clients that keep all messages.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "studio/session.h"

namespace sestina::studio {

inline constexpr const char* kSwingingRod =
    "sestina: 1\n"
    "parameters: {l: 0.8}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: [{name: rod, mass: 1, center_of_mass: [0, -l, 0]}]\n"
    "joints: [{name: hip, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], q: 1}]\n"
    "analysis: {duration: 1}\n";

inline std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\\n");
  return text;
}

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("sestina_session_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "pendulum.yaml";
    std::ofstream(file_) << kSwingingRod;
    session_ = std::make_unique<Session>(file_, folder_, sender());
  }
  void TearDown() override {
    session_.reset();
    std::filesystem::remove_all(folder_);
  }
  Send sender() {
    return [this](int client, const std::shared_ptr<const Message>& message) {
      (message->is_text ? texts_ : blocks_)[client].push_back(message->bytes);
    };
  }
  // The last message of a type.
  std::string last(const std::string& type, int client = 1) {
    const std::string start = "{\"type\":\"" + type + "\"";
    std::string found;
    for (const std::string& text : texts_[client]) {
      if (text.starts_with(start)) found = text;
    }
    return found;
  }
  // Ticks until something is true, for so long at most; whether it is.
  static bool tick_until(Session& session, const std::function<bool()>& is_true, int milliseconds = 20000) {
    for (int i = 0; i * 10 < milliseconds && !is_true(); ++i) {
      session.tick();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return is_true();
  }
  bool tick_until(const std::function<bool()>& is_true, int milliseconds = 20000) {
    return tick_until(*session_, is_true, milliseconds);
  }
  static void finish(Session& session) {
    ASSERT_TRUE(tick_until(session, [&session] { return !session.is_running(); }));
    session.tick();
  }
  void finish() { finish(*session_); }
  std::size_t rows_sent(int client = 1) {
    std::size_t rows = 0;
    for (const std::string& block : blocks_[client]) {
      std::uint32_t head[2];
      std::memcpy(head, block.data(), sizeof head);
      rows = head[0] == 1 ? head[1] : rows + head[1];
    }
    return rows;
  }

  // Goes live from half a second of a run with 101 rows; a row of the live run by the names of its columns.
  // The model has one body.
  std::map<std::string, double> first_live_row(Session& session, int client) {
    session.handle(client, R"({"type":"live","t":0.5,"speed":10})");
    EXPECT_TRUE(tick_until(session, [&] { return rows_sent(client) >= 52; }));
    session.handle(client, R"({"type":"stop"})");
    finish(session);
    const std::string scene = last("scene", client);
    std::vector<std::string> names;
    for (std::size_t at = scene.find("\"columns\"");
         (at = scene.find("\"name\":\"", at)) != std::string::npos;) {
      at += 8;
      names.push_back(scene.substr(at, scene.find('"', at) - at));
    }
    const std::string& block = blocks_[client].back();
    std::uint32_t head[2];
    std::memcpy(head, block.data(), sizeof head);
    EXPECT_EQ(head[0], 2u);
    std::vector<double> row(names.size());
    std::memcpy(row.data(), block.data() + sizeof head + (head[1] * 7 * sizeof(float) + 7) / 8 * 8,
                row.size() * sizeof(double));
    std::map<std::string, double> values;
    for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = row[i];
    return values;
  }

  std::filesystem::path folder_, file_;
  std::map<int, std::vector<std::string>> texts_, blocks_;
  std::unique_ptr<Session> session_;
};

}  // namespace sestina::studio
