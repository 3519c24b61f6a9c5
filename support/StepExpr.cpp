#include "support/StepExpr.h"

#include <cctype>

#include "support/Error.h"

namespace ds4 {

namespace {

int64_t floorDivide(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

bool isBinary(StepExpr::Op op) { return op >= StepExpr::Op::Add; }

int64_t apply(StepExpr::Op op, int64_t a, int64_t b) {
  using Op = StepExpr::Op;
  if (op >= Op::FloorDiv && b <= 0)
    userError("step expression divides by {}: the divisor must be positive", b);
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case Op::Add: overflow = __builtin_add_overflow(a, b, &result); break;
  case Op::Sub: overflow = __builtin_sub_overflow(a, b, &result); break;
  case Op::Mul: overflow = __builtin_mul_overflow(a, b, &result); break;
  case Op::FloorDiv: return floorDivide(a, b);
  case Op::CeilDiv: return floorDivide(a, b) + (a % b != 0);
  case Op::Mod: return a - floorDivide(a, b) * b;
  default: internalError("not a binary step operator");
  }
  if (overflow)
    userError("step expression leaves 64 bits at {} and {}", a, b);
  return result;
}

// Recursive descent over "sum := product (+|- product)*", "product := factor (op factor)*".
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  StepExpr parse() {
    StepExpr expr = sum();
    skipSpace();
    if (at_ != text_.size())
      fail("unexpected text");
    return expr;
  }

private:
  StepExpr sum() {
    StepExpr left = product();
    for (;;) {
      if (take("+"))
        left = left + product();
      else if (take("-"))
        left = left - product();
      else
        return left;
    }
  }
  StepExpr product() {
    StepExpr left = factor();
    for (;;) {
      if (take("*"))
        left = left * factor();
      else if (take("floordiv"))
        left = left.floorDiv(factor());
      else if (take("ceildiv"))
        left = left.ceilDiv(factor());
      else if (take("mod"))
        left = left.mod(factor());
      else
        return left;
    }
  }
  StepExpr factor() {
    if (take("(")) {
      StepExpr inner = sum();
      if (!take(")"))
        fail("expected ')'");
      return inner;
    }
    if (take("-"))
      return StepExpr(0) - factor();
    if (take("pos"))
      return StepExpr::pos();
    if (take("q"))
      return StepExpr::q();
    skipSpace();
    size_t start = at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
      ++at_;
    if (start == at_ || at_ - start > 18)
      fail("expected pos, q, a number or '('");
    return StepExpr(std::stoll(std::string(text_.substr(start, at_ - start))));
  }
  bool take(std::string_view token) {
    skipSpace();
    if (!text_.substr(at_).starts_with(token))
      return false;
    at_ += token.size();
    return true;
  }
  void skipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
  }
  [[noreturn]] void fail(const char *what) { userError("step expression '{}', column {}: {}", text_, at_ + 1, what); }

  std::string_view text_;
  size_t at_ = 0;
};

} // namespace

StepExpr StepExpr::fromNodes(std::vector<Node> nodes) {
  int depth = 0;
  for (const Node &node : nodes) {
    if (node.op > Op::Mod)
      userError("step expression has the unknown operator {}", static_cast<int>(node.op));
    depth += isBinary(node.op) ? -1 : 1;
    if (depth < 1)
      userError("step expression of {} nodes is not well formed", nodes.size());
  }
  if (depth != 1)
    userError("step expression of {} nodes is not well formed", nodes.size());
  return StepExpr(std::move(nodes));
}

StepExpr StepExpr::parse(std::string_view text) { return Parser(text).parse(); }

StepExpr StepExpr::binary(Op op, const StepExpr &rhs) const {
  std::vector<Node> nodes = nodes_;
  nodes.insert(nodes.end(), rhs.nodes_.begin(), rhs.nodes_.end());
  nodes.push_back({op});
  return StepExpr(std::move(nodes));
}

int64_t StepExpr::evaluate(int64_t pos, int64_t q) const {
  std::vector<int64_t> stack;
  for (const Node &node : nodes_) {
    if (isBinary(node.op)) {
      int64_t rhs = stack.back();
      stack.pop_back();
      stack.back() = apply(node.op, stack.back(), rhs);
    } else {
      stack.push_back(node.op == Op::Pos ? pos : node.op == Op::Q ? q : node.value);
    }
  }
  return stack.back();
}

std::string StepExpr::toString() const {
  static constexpr const char *kNames[] = {"", "", "", " + ", " - ", " * ", " floordiv ", " ceildiv ", " mod "};
  std::vector<std::string> stack;
  for (const Node &node : nodes_) {
    if (isBinary(node.op)) {
      std::string rhs = stack.back();
      stack.pop_back();
      stack.back() = "(" + stack.back() + kNames[static_cast<int>(node.op)] + rhs + ")";
    } else {
      stack.push_back(node.op == Op::Pos ? "pos" : node.op == Op::Q ? "q" : std::to_string(node.value));
    }
  }
  std::string text = stack.back();
  if (text.starts_with("(") && isBinary(nodes_.back().op))
    text = text.substr(1, text.size() - 2);
  return text;
}

} // namespace ds4
