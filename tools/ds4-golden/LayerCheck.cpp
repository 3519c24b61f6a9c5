#include "tools/ds4-golden/LayerCheck.h"

#include <algorithm>

#include "support/Error.h"
#include "tools/ds4-golden/Compare.h"

namespace ds4::golden {
namespace {

constexpr double kLimit = 2e-4;        // relative RMS of every result
constexpr double kSelectMargin = 1e-3; // a closer selection may fall otherwise

class LayerStepCheck {
public:
  LayerStepCheck(StepRunner &runner, const LayerGoldens &goldens, const LayerStep &step, Report &report)
      : runner_(runner), goldens_(goldens), step_(step), report_(report), model_(goldens.description(step.kind)),
        ratio_(model_.ratios[0]) {}

  void run() {
    runner_.reset();
    fillWindow();
    if (ratio_ > 0)
      fillCompressor("compressor", "compressed", "open", "attn_compressor_ape.weight", model_.headWidth);
    if (ratio_ == 4)
      fillCompressor("indexer", "indexer", "indexer_open", "indexer_compressor_ape.weight", model_.indexerWidth);
    runner_.setInput("streams", goldens_.input(step_, "streams", step_.tokens * model_.streams * model_.width));
    runner_.step(step_.tokenIds, step_.position, true);
    for (const char *name : {"attn_hc.post", "attn_hc.comb", "attn_hc.collapsed", "attn.out", "ffn_hc.post", "ffn_hc.comb",
                             "ffn_hc.collapsed", "mlp.out", "streams_out", "window_row_new"})
      compare(name, runner_.output(name));
    compareRouter();
    if (ratio_ > 0)
      compareNewRows("compressor.rows_new", "compressed");
    if (ratio_ == 4) {
      compareNewRows("indexer.rows_new", "indexer");
      compareScores();
      comparePicks();
    }
  }

private:
  void compare(const std::string &name, std::span<const float> actual) {
    report_.add(step_.tag, name + ", relative RMS", relativeRms(actual, goldens_.expected(step_, name)), kLimit);
  }

  void fillWindow() {
    int64_t width = model_.headWidth, count = std::min<int64_t>(model_.window - 1, step_.position);
    std::vector<float> rows = goldens_.input(step_, "window_rows", count * width); // oldest first
    int64_t slots = runner_.stateRows(kBlock + "window");
    for (int64_t i = 0; i < count; ++i)
      runner_.writeState(kBlock + "window", (step_.position - count + i) % slots, std::span(rows).subspan(i * width, width));
  }

  // The rows of complete windows, the projections of the open one, and for ratio 4 those of the window before, of which
  // the next row takes the first half.
  void fillCompressor(const std::string &input, const std::string &rows, const std::string &open, const std::string &ape,
                      int64_t width) {
    int64_t windows = step_.position / ratio_, openTokens = step_.position % ratio_;
    int64_t projected = model_.compressorWidth(0, static_cast<uint32_t>(width));
    if (windows > 0)
      runner_.writeState(kBlock + rows, 0, goldens_.input(step_, input + ".rows", windows * width));

    std::vector<float> kv = goldens_.input(step_, input + ".open_kv", openTokens * projected);
    std::vector<float> gate = goldens_.input(step_, input + ".open_gate", openTokens * projected);
    std::vector<float> bias = goldens_.weightValues(step_.kind, kBlock + ape);
    for (int64_t t = 0; t < openTokens; ++t) {
      std::vector<float> row(kv.begin() + t * projected, kv.begin() + (t + 1) * projected);
      for (int64_t i = 0; i < projected; ++i)
        row.push_back(gate[t * projected + i] + bias[t * projected + i]);
      writeOpenRow(open, windows * ratio_ + t, row);
    }
    if (ratio_ != 4 || windows == 0)
      return;
    std::vector<float> previousKv = goldens_.input(step_, input + ".previous_kv", ratio_ * width);
    std::vector<float> previousGate = goldens_.input(step_, input + ".previous_gate", ratio_ * width);
    for (int64_t t = 0; t < ratio_; ++t) {
      std::vector<float> row(2 * projected);
      std::copy_n(previousKv.begin() + t * width, width, row.begin());
      std::copy_n(previousGate.begin() + t * width, width, row.begin() + projected);
      writeOpenRow(open, (windows - 1) * ratio_ + t, row);
    }
  }

  void writeOpenRow(const std::string &open, int64_t position, std::span<const float> row) {
    runner_.writeState(kBlock + open, position % runner_.stateRows(kBlock + open), row);
  }

  void compareNewRows(const std::string &name, const std::string &state) {
    int64_t first = step_.position / ratio_, count = (step_.position + step_.tokens) / ratio_ - first;
    compare(name, count ? runner_.readState(kBlock + state, first, count) : std::vector<float>());
  }

  void compareRouter() {
    std::vector<int32_t> ids = runner_.outputIds("router.ids"), expectedIds = goldens_.expectedIds(step_, "router.ids");
    std::vector<float> weights = runner_.output("router.weights"), reordered; // the order of experts is free
    int64_t different = 0;
    for (int64_t t = 0; t < step_.tokens; ++t) {
      auto chosen = partOfToken(ids, t, step_.tokens), expected = partOfToken(expectedIds, t, step_.tokens);
      different += static_cast<int64_t>(setDifference(chosen, expected).size());
      for (int32_t id : expected) {
        auto slot = std::ranges::find(chosen, id);
        reordered.push_back(slot == chosen.end() ? 0 : partOfToken(weights, t, step_.tokens)[slot - chosen.begin()]);
      }
    }
    report_.add(step_.tag, "router.ids, different", static_cast<double>(different), 0);
    compare("router.weights", reordered);
  }

  // Theirs are unmasked: the rows that a token sees are compared.
  void compareScores() {
    std::vector<float> scores = runner_.output("indexer.scores"), expected = goldens_.expected(step_, "indexer.scores");
    std::vector<float> visible, expectedVisible;
    for (int64_t t = 0; t < step_.tokens; ++t) {
      int64_t count = (step_.position + t + 1) / ratio_;
      std::ranges::copy(partOfToken(scores, t, step_.tokens).first(count), std::back_inserter(visible));
      std::ranges::copy(partOfToken(expected, t, step_.tokens).first(count), std::back_inserter(expectedVisible));
    }
    report_.add(step_.tag, "indexer.scores, relative RMS", relativeRms(visible, expectedVisible), kLimit);
  }

  void comparePicks() {
    std::vector<int32_t> picks = runner_.outputIds("indexer.picks"), expected = goldens_.expectedIds(step_, "indexer.picks");
    int64_t different = 0;
    for (int64_t t = 0; t < step_.tokens; ++t) {
      bool close = t < static_cast<int64_t>(step_.selectMargin.size()) && step_.selectMargin[t] < kSelectMargin;
      size_t ofToken = setDifference(partOfToken(picks, t, step_.tokens), partOfToken(expected, t, step_.tokens)).size();
      different += close && ofToken <= 2 ? 0 : static_cast<int64_t>(ofToken); // a close one may swap with its neighbour
    }
    report_.add(step_.tag, "indexer.picks, different", static_cast<double>(different), 0);
  }

  StepRunner &runner_;
  const LayerGoldens &goldens_;
  const LayerStep &step_;
  Report &report_;
  ModelDescription model_;
  int64_t ratio_;
};

} // namespace

void checkLayerStep(StepRunner &runner, const LayerGoldens &goldens, const LayerStep &step, Report &report) {
  LayerStepCheck(runner, goldens, step, report).run();
}

} // namespace ds4::golden
