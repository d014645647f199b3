#include "bpf.h"

#include <string.h>

namespace sbx::test {
namespace {

bool Holds(uint16_t code, uint32_t accumulator, uint32_t operand) {
  switch (BPF_OP(code)) {
    case BPF_JEQ: return accumulator == operand;
    case BPF_JGE: return accumulator >= operand;
    case BPF_JGT: return accumulator > operand;
    default: return (accumulator & operand) != 0;  // BPF_JSET
  }
}

}  // namespace

uint32_t Bpf::Run(const struct seccomp_data& data) {
  uint32_t accumulator = 0, index = 0, memory[BPF_MEMWORDS] = {};
  steps_ = 0;
  for (size_t at = 0; at < filter_.length; ++at) {
    const struct sock_filter& instruction = filter_.code[at];
    executed_[at] = true;
    ++steps_;
    switch (BPF_CLASS(instruction.code)) {
      case BPF_LD:
        if (instruction.code != (BPF_LD | BPF_W | BPF_ABS) || instruction.k % 4 != 0 ||
            instruction.k + 4 > sizeof(data))
          return kBroken;
        memcpy(&accumulator, reinterpret_cast<const char*>(&data) + instruction.k, 4);
        break;
      case BPF_LDX:
        if (instruction.code != (BPF_LDX | BPF_W | BPF_MEM) || instruction.k >= BPF_MEMWORDS) return kBroken;
        index = memory[instruction.k];
        break;
      case BPF_ST:
        if (instruction.code != BPF_ST || instruction.k >= BPF_MEMWORDS) return kBroken;
        memory[instruction.k] = accumulator;
        break;
      case BPF_ALU:
        if (instruction.code == (BPF_ALU | BPF_AND | BPF_K)) accumulator &= instruction.k;
        else if (instruction.code == (BPF_ALU | BPF_SUB | BPF_K)) accumulator -= instruction.k;
        else if (instruction.code == (BPF_ALU | BPF_OR | BPF_X)) accumulator |= index;
        else return kBroken;
        break;
      case BPF_JMP:
        if (BPF_OP(instruction.code) == BPF_JA) at += instruction.k;
        else at += Holds(instruction.code, accumulator, instruction.k) ? instruction.jt : instruction.jf;
        break;
      case BPF_RET: return instruction.k;
      default: return kBroken;
    }
  }
  return kBroken;  // ran off the end
}

}  // namespace sbx::test
