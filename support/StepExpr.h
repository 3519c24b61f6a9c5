// Integer expressions in the scalars of a step.
//
// A decode step has two scalars: pos, the position of its first token, and q, the number of its tokens. Launch grids,
// row counts and ring slots are expressions in these two. The compiler prints them as affine expressions in the IR,
// the plan stores them, the runtime evaluates them once per launch. No MLIR here: the runtime links this file.
//
// Text form, as in MLIR's affine maps: "pos", "q", integers, "+", "-", "*", "floordiv", "ceildiv", "mod", parentheses.
// Division and modulus round towards minus infinity and want a positive right-hand side.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ds4 {

class StepExpr {
public:
  enum class Op : uint8_t { Constant, Pos, Q, Add, Sub, Mul, FloorDiv, CeilDiv, Mod };

  // One instruction of the postfix program; `value` is used by Constant alone.
  struct Node {
    Op op;
    int64_t value = 0;
    bool operator==(const Node &) const = default;
  };

  StepExpr() : StepExpr(0) {}
  StepExpr(int64_t constant) : nodes_{{Op::Constant, constant}} {}
  static StepExpr pos() { return StepExpr(std::vector<Node>{{Op::Pos}}); }
  static StepExpr q() { return StepExpr(std::vector<Node>{{Op::Q}}); }

  // Takes a postfix program as read from a plan. Throws ds4::Error (User) when it is not well formed.
  static StepExpr fromNodes(std::vector<Node> nodes);
  // Throws ds4::Error (User) naming the text and the column.
  static StepExpr parse(std::string_view text);

  StepExpr operator+(const StepExpr &rhs) const { return binary(Op::Add, rhs); }
  StepExpr operator-(const StepExpr &rhs) const { return binary(Op::Sub, rhs); }
  StepExpr operator*(const StepExpr &rhs) const { return binary(Op::Mul, rhs); }
  StepExpr floorDiv(const StepExpr &rhs) const { return binary(Op::FloorDiv, rhs); }
  StepExpr ceilDiv(const StepExpr &rhs) const { return binary(Op::CeilDiv, rhs); }
  StepExpr mod(const StepExpr &rhs) const { return binary(Op::Mod, rhs); }

  int64_t evaluate(int64_t pos, int64_t q) const;
  std::string toString() const;
  const std::vector<Node> &nodes() const { return nodes_; }
  bool operator==(const StepExpr &) const = default;

private:
  explicit StepExpr(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}
  StepExpr binary(Op op, const StepExpr &rhs) const;

  std::vector<Node> nodes_;
};

} // namespace ds4
