// What a recorder keeps of a run of the bundled model, and the files made of it.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "runtime/trace/ProfileFiles.h"
#include "support/Error.h"
#include "tests/unit/runtime/SessionFixture.h"

namespace ds4 {
namespace {

using testing::Each;
using testing::SizeIs;
using trace::Axis;
using trace::Record;
using trace::Recorder;

uint64_t instructionsOf(const Executor &executor) {
  Ds4SimCounters counters{};
  executor.provider().table.ds4simTotals(&counters);
  return counters.instructions;
}

std::vector<Record> ofKind(const Recorder &recorder, Record::Kind kind) {
  std::vector<Record> found;
  std::ranges::copy_if(recorder.records(), std::back_inserter(found), [&](const Record &record) { return record.kind == kind; });
  return found;
}

// Three steps: two tokens without the head, one with it, one behind it; logits are read after the last two.
void runSteps(Executor &executor, Recorder &recorder) {
  executor.setRecorder(&recorder);
  const std::vector<int32_t> tokens{0, 5, 7, 9};
  executor.step({.pos = 0, .tokens = std::span(tokens).first(2), .head = false});
  for (int64_t pos : {2, 3}) {
    executor.step({.pos = pos, .tokens = std::span(tokens).subspan(static_cast<size_t>(pos), 1)});
    executor.output("logits");
  }
  executor.setRecorder(nullptr);
}

class TraceTest : public testing::Test {
protected:
  static void SetUpTestSuite() { executor_ = loadBundledModel(64).release(); }
  static void TearDownTestSuite() { delete std::exchange(executor_, nullptr); }
  void SetUp() override { executor_->reset(); }

  std::string written(const Recorder &recorder, decltype(trace::writeLineRecords) &write) {
    const std::string path = fmt::format("{}ds4-trace-{}", testing::TempDir(), ::getpid());
    FileWriter file(path);
    write(file, {.device = "a \"device\"", .plan = "p", .responseSha256 = "r"}, executor_->plan(), recorder);
    file.commit();
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    std::filesystem::remove(path);
    return text.str();
  }

  static Executor *executor_;
};
Executor *TraceTest::executor_ = nullptr;

TEST_F(TraceTest, OnTheSimulatorTheAxisCountsInstructions) {
  Recorder recorder(executor_->provider());
  const uint64_t before = instructionsOf(*executor_);
  runSteps(*executor_, recorder);
  EXPECT_EQ(recorder.axis(), Axis::WaveInstructions);
  uint64_t at = 0;
  for (const Record &launch : ofKind(recorder, Record::Kind::Launch)) {
    EXPECT_EQ(launch.start, at); // one after another, and nothing between
    EXPECT_GT(launch.end, launch.start) << executor_->plan().launches[launch.launch].label;
    at = launch.end;
  }
  EXPECT_EQ(at, instructionsOf(*executor_) - before);
  EXPECT_THAT(ofKind(recorder, Record::Kind::Gap), SizeIs(0));
  for (const Record &copy : ofKind(recorder, Record::Kind::Copy))
    EXPECT_EQ(copy.start, copy.end);
}

TEST_F(TraceTest, StepsHoldTheirLaunchesAndCopies) {
  for (const Axis axis : {Axis::WaveInstructions, Axis::Nanoseconds}) {
    executor_->reset();
    Recorder recorder(executor_->provider(), axis, 10'000);
    runSteps(*executor_, recorder);
    const std::vector<Record> steps = ofKind(recorder, Record::Kind::Step);
    ASSERT_THAT(steps, SizeIs(3));
    int64_t pos = 0;
    for (const Record &step : steps) {
      EXPECT_EQ(step.pos, pos);
      pos += step.tokens;
      EXPECT_GT(step.hostNanoseconds, 0u);
      int64_t launches = 0, uploads = 0, downloads = 0;
      for (const Record &record : recorder.records()) {
        if (record.step != step.step)
          continue;
        launches += record.kind == Record::Kind::Launch;
        uploads += record.kind == Record::Kind::Copy && record.toDevice;
        downloads += record.kind == Record::Kind::Copy && !record.toDevice;
        if (record.kind == Record::Kind::Launch) {
          EXPECT_GE(record.start, step.start);
          EXPECT_LE(record.end, step.end);
        }
      }
      EXPECT_EQ(uploads, 1);
      EXPECT_EQ(downloads, step.step == 0 ? 0 : 1);
      if (step.step == 2) {
        EXPECT_EQ(launches, executor_->launchesOfLastStep());
      }
    }
    EXPECT_EQ(recorder.dropped(), 0u);
  }
}

TEST_F(TraceTest, OnATimeAxisWorkAndGapsFillTheRun) {
  Recorder recorder(executor_->provider(), Axis::Nanoseconds, 10'000);
  runSteps(*executor_, recorder);
  EXPECT_FALSE(ofKind(recorder, Record::Kind::Gap).empty());
  std::optional<uint64_t> at;
  for (const Record &record : recorder.records()) {
    if (record.kind == Record::Kind::Step)
      continue;
    EXPECT_LE(record.start, record.end);
    if (at) {
      EXPECT_LE(record.start, *at) << "something between is neither work nor a gap";
    }
    at = std::max(at.value_or(0), record.end);
  }
}

TEST_F(TraceTest, AStepThatFailedIsLeftOut) {
  Recorder recorder(executor_->provider());
  executor_->setRecorder(&recorder);
  executor_->provider().table.ds4simSetOption("instruction-limit", "1");
  const std::vector<int32_t> token{5};
  EXPECT_THROW(executor_->step({.pos = 0, .tokens = token}), Error);
  executor_->provider().table.ds4simSetOption("instruction-limit", "0");
  executor_->reset();
  executor_->step({.pos = 0, .tokens = token});
  executor_->setRecorder(nullptr);
  EXPECT_THAT(ofKind(recorder, Record::Kind::Step), SizeIs(1));
  EXPECT_THAT(ofKind(recorder, Record::Kind::Launch), SizeIs(static_cast<size_t>(executor_->launchesOfLastStep())));
}

TEST_F(TraceTest, RecordsBeyondTheCapacityAreCounted) {
  Recorder all(executor_->provider()), few(executor_->provider(), Axis::WaveInstructions, 10);
  runSteps(*executor_, all);
  executor_->reset();
  runSteps(*executor_, few);
  EXPECT_THAT(few.records(), SizeIs(10));
  EXPECT_EQ(few.dropped() + 10, all.records().size());
  EXPECT_EQ(nlohmann::json::parse(written(few, trace::writeChromeTrace))["otherData"]["dropped"], few.dropped());
}

TEST_F(TraceTest, LineRecordsEndInAFooterAndRepeat) {
  std::string texts[2];
  for (std::string &text : texts) {
    executor_->reset();
    Recorder recorder(executor_->provider());
    runSteps(*executor_, recorder);
    std::vector<nlohmann::json> lines;
    std::istringstream stream(written(recorder, trace::writeLineRecords));
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(nlohmann::json::parse(line));
      lines.back().erase("host_ns");
      text += lines.back().dump();
    }
    EXPECT_EQ(lines.front()["record"], "header");
    EXPECT_EQ(lines.front()["axis"], "wave instructions");
    EXPECT_EQ(lines.back(),
              (nlohmann::json{{"record", "footer"}, {"records", lines.size() - 2}, {"dropped", 0}, {"response_sha256", "r"}}));
    EXPECT_EQ(lines.size() - 2, recorder.records().size());
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(TraceTest, TheTraceIsWhatViewersRead) {
  for (const Axis axis : {Axis::WaveInstructions, Axis::Nanoseconds}) {
    executor_->reset();
    Recorder recorder(executor_->provider(), axis, 10'000);
    runSteps(*executor_, recorder);
    const auto json = nlohmann::json::parse(written(recorder, trace::writeChromeTrace));
    EXPECT_EQ(json["otherData"]["axis"], axis == Axis::Nanoseconds ? "nanoseconds" : "wave instructions");
    size_t events = 0;
    for (const auto &event : json["traceEvents"])
      if (event["ph"] == "X") {
        const Record &record = recorder.records()[events++];
        const double scale = axis == Axis::Nanoseconds ? 1e3 : 1;
        EXPECT_NEAR(event["ts"].get<double>() * scale, double(record.start), 0.01);
        EXPECT_NEAR(event["dur"].get<double>() * scale, double(record.end - record.start), 0.01);
        if (record.kind == Record::Kind::Launch) {
          EXPECT_EQ(event["name"], executor_->plan().launches[record.launch].label);
        }
      }
    EXPECT_EQ(events, recorder.records().size());
  }
}

} // namespace
} // namespace ds4
