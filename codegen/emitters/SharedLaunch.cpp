#include "codegen/emitters/SharedLaunch.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/kernels/scratch.h"
#include "support/Error.h"
#include "support/Sha256.h"

namespace ds4 {

namespace {

// "const float *x" without its name.
std::string typeOf(std::string_view parameter) { return std::string(parameter.substr(0, parameter.find_last_of(" *") + 1)); }

std::vector<std::string> parameterTypes(std::string_view parameters) {
  std::vector<std::string> types;
  for (size_t begin = 0; begin <= parameters.size();) {
    const size_t end = std::min(parameters.find(", ", begin), parameters.size());
    types.push_back(typeOf(parameters.substr(begin, end - begin)));
    begin = end + 2;
  }
  return types;
}

int workgroups(const SharedPart &part) { return static_cast<int>(part.source.grid[0].evaluate(0, 1)); }

// Whether a part has more workgroups in some steps than in others.
bool followsStep(const SharedPart &part) { return part.source.grid[0].nodes().size() > 1; }

// As device code, of steps whose scalars are not negative.
std::string deviceText(const StepExpr &expr) {
  const std::string text = std::regex_replace(expr.toString(), std::regex(" floordiv "), " / ");
  return "(" + std::regex_replace(text, std::regex("\\b(pos|q)\\b"), "step->$1") + ")";
}

struct Chain {
  std::vector<int> roots, tails;
  int first = 0;      // of its workgroups
  int workgroups = 0; // of all roots
  int pieces = 1, counter = 0;
};

class SharedKernel {
public:
  SharedKernel(const std::vector<SharedPart> &parts, int arguments) : parts_(parts), types_(arguments) {
    for (const SharedPart &part : parts) {
      const std::vector<std::string> types = parameterTypes(part.source.parameters);
      for (size_t i = 0; i < types.size(); ++i)
        if (std::string &known = types_.at(part.arguments.at(i)); known.empty() || known.starts_with("const "))
          known = types[i];
    }
    for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
      if (parts[i].source.threads != parts[0].source.threads || !parts[i].source.movable || parts[i].source.scratchBytes)
        internalError("'{}' cannot share a launch", parts[i].source.op);
      Chain &chain = chains_[parts[i].chain];
      (parts[i].isTail ? chain.tails : chain.roots).push_back(i);
    }
    layOut();
  }

  KernelSpec finish() const {
    KernelSpec spec;
    spec.op = "shared_launch";
    std::string body;
    for (const Chain *chain : inOrder())
      body += textOf(*chain);
    std::string parameters;
    for (size_t i = 0; i < types_.size(); ++i)
      parameters += fmt::format(", {}v{}", types_[i], i);
    if (hasTails())
      parameters += ", void *scratch";
    spec.source = "#define DS4_LDS_STEP 8192\n" + includes(); // products of other formats share one piece of LDS
    for (size_t i = 0; i < parts_.size(); ++i)
      spec.source += definition(i);
    const std::string text = fmt::format(
        "(const ds4::Step *step{}) {{\n  const ds4::Workgroup workgroup = ds4::thisWorkgroup();\n{}}}\n", parameters, body);
    spec.symbol = fmt::format("ds4_shared_launch_{}", sha256Hex(spec.source + text).substr(0, 12));
    spec.block = parts_[0].source.threads;
    spec.source += fmt::format("\nDS4_KERNEL({}) {}{}", spec.block, spec.symbol, text);
    spec.source += fmt::format("DS4_WAITS({0})\nDS4_CLUSTER_OF({0}, 1)\nDS4_LDS_OF({0}, {1})\n", spec.symbol, ldsBytes());
    spec.grid = {grows_ ? parts_[0].source.grid[0] : workgroups_, StepExpr::q(), 1};
    spec.budget.vgprs = 168; // together, parts need more than the dearest of them alone: nine waves a SIMD stay
    for (const SharedPart &part : parts_)
      spec.budget.vgprs = std::max(spec.budget.vgprs, part.source.vgprs);
    spec.scratchBytes = hasTails() ? kScratchCounterBytes : 0;
    return spec;
  }

private:
  // Chains in the order of their first roots.
  std::vector<const Chain *> inOrder() const {
    std::vector<const Chain *> order;
    for (const auto &[number, chain] : chains_)
      order.push_back(&chain);
    std::ranges::sort(order, {}, &Chain::first);
    return order;
  }

  // Chains of products that fill a multiprocessor come first: theirs is the longest way.
  std::vector<int> chainsInOrder() const {
    std::vector<int> order;
    for (const bool paired : {true, false})
      for (const SharedPart &part : parts_)
        if (std::ranges::find(order, part.chain) == order.end() && (!paired || part.source.paired))
          order.push_back(part.chain);
    return order;
  }

  void layOut() {
    int counters = 0;
    for (const int number : chainsInOrder()) {
      Chain &chain = chains_[number];
      if (chain.roots.empty())
        internalError("a tail of a shared launch has no root");
      chain.first = workgroups_;
      for (int root : chain.roots)
        chain.workgroups += workgroups(parts_[root]);
      workgroups_ += chain.workgroups;
      if (chain.tails.empty())
        continue;
      chain.pieces = piecesOf(chain, kScratchCounters / 4);
      chain.counter = counters;
      counters += chain.pieces;
    }
    grows_ = std::ranges::any_of(parts_, followsStep);
    if (grows_ && std::ranges::count(parts_, false, &SharedPart::isTail) > 1)
      internalError("a root whose workgroups follow the step shares its launch with tails alone");
    if (counters > kScratchCounters)
      internalError("a shared launch wants {} counters, there are {}", counters, kScratchCounters);
  }

  int piecesOf(const Chain &chain, int most) const {
    int divisor = 0, row = parts_[chain.roots[0]].source.piece * workgroups(parts_[chain.roots[0]]);
    for (const std::vector<int> *list : {&chain.roots, &chain.tails})
      for (int i : *list) {
        const int piece = parts_[i].source.piece;
        if (!piece || piece * workgroups(parts_[i]) != row)
          return 1;
        divisor = std::gcd(divisor, workgroups(parts_[i]));
      }
    int pieces = std::min(divisor, most);
    while (divisor % pieces)
      --pieces;
    return pieces;
  }

  bool hasTails() const { return std::ranges::any_of(parts_, &SharedPart::isTail); }

  std::string includes() const {
    std::set<std::string> headers;
    for (const SharedPart &part : parts_) {
      headers.insert(fmt::format("{}.h", part.source.op));
      for (std::string_view header : part.source.headers())
        headers.emplace(header);
    }
    if (hasTails())
      headers.insert("hand_over.h");
    std::string text;
    for (const std::string &header : headers)
      text += fmt::format("#include \"{}\"\n", header);
    return text;
  }

  // A workgroup makes one part at a time, so the largest will do.
  std::string ldsBytes() const {
    std::string bytes = "0";
    for (const SharedPart &part : parts_)
      if (!part.source.lds.empty())
        bytes = fmt::format("ds4::larger<int>({}, {})", bytes, part.source.lds);
    constexpr int kTwoEach = 264; // workgroups, on an NVIDIA H100's or H200's multiprocessors
    return workgroups_ <= kTwoEach ? fmt::format("ds4::spreadingLds({})", bytes) : bytes;
  }

  // In a namespace of its own: two parts may have tables of one name.
  std::string definition(size_t i) const {
    const KernelSource &source = parts_[i].source;
    return fmt::format("\nnamespace part{} {{ // {}_{}\n{}DS4_DEVICE void run(const ds4::Step *step, {}, ds4::Workgroup workgroup) "
                       "{{\n  {}{};\n}}\n}}\n",
                       i, source.op, source.specialisation, source.prelude, source.parameters,
                       parts_[i].isTail || source.waits ? "" : "ds4::awaitPrevious();\n  ", source.call);
  }

  std::string call(int i, std::string_view x, std::string_view token) const {
    std::string values;
    for (int argument : parts_[i].arguments)
      values += fmt::format(", v{}", argument);
    return fmt::format("part{}::run(step{}, {{{}, {}}});", i, values, x, token);
  }

  std::string textOf(const Chain &chain) const {
    if (grows_)
      return fmt::format("  {{\n    {}\n{}  }}\n", call(chain.roots[0], "workgroup.x", "workgroup.token"),
                         chain.tails.empty() ? "" : tailsOf(chain));
    std::string text =
        fmt::format("  if (workgroup.x >= {} && workgroup.x < {}) {{\n", chain.first, chain.first + chain.workgroups);
    if (!chain.tails.empty() && chain.pieces > 1)
      text += "    int piece = 0;\n";
    int first = chain.first;
    for (int root : chain.roots) {
      const int count = workgroups(parts_[root]);
      text += fmt::format("    if (workgroup.x >= {} && workgroup.x < {}) {{\n", first, first + count);
      const int columns = parts_[root].source.columns;
      text += fmt::format("      {}{}\n", columns > 1 ? fmt::format("if (workgroup.token * {} < step->q)\n        ", columns) : "",
                          call(root, fmt::format("workgroup.x - {}", first), "workgroup.token"));
      if (!chain.tails.empty() && chain.pieces > 1)
        text += fmt::format("      piece = (workgroup.x - {}) / {};\n", first, count / chain.pieces);
      text += "    }\n";
      first += count;
    }
    if (!chain.tails.empty())
      text += tailsOf(chain);
    return text + "  }\n";
  }

  std::string tailsOf(const Chain &chain) const {
    const std::string piece = chain.pieces > 1 ? " + piece" : "";
    const std::string arriving =
        grows_ ? deviceText(parts_[chain.roots[0]].source.grid[0]) : std::to_string(chain.workgroups / chain.pieces);
    // A workgroup that had nothing to do has not waited yet, and the counters may be another launch's still.
    std::string text =
        fmt::format("    ds4::awaitPrevious();\n    if (ds4::arrivesLast(static_cast<ds4::U32 *>(scratch) + {}{}, step->q * {}))\n"
                    "      for (int token = 0; token < step->q; ++token) {{\n",
                    chain.counter, piece, arriving);
    for (int tail : chain.tails) {
      const int count = workgroups(parts_[tail]) / chain.pieces;
      const std::string first = chain.pieces > 1 ? fmt::format("piece * {} + ", count) : "";
      if (count == 1)
        text += fmt::format("        {}\n", call(tail, chain.pieces > 1 ? "piece" : "0", "token"));
      else
        text += fmt::format("        for (int x = 0; x < {}; ++x)\n          {}\n", count, call(tail, first + "x", "token"));
      text += "        ds4::memoryBarrier();\n"; // the next tail reads what this one made
    }
    return text + "      }\n";
  }

  const std::vector<SharedPart> &parts_;
  std::vector<std::string> types_; // of the arguments, mutable where any part writes
  std::map<int, Chain> chains_;
  int workgroups_ = 0;
  bool grows_ = false; // the only root has as many workgroups as the step wants
};

} // namespace

KernelSpec emitSharedLaunch(const std::vector<SharedPart> &parts, int arguments) { return SharedKernel(parts, arguments).finish(); }

} // namespace ds4
