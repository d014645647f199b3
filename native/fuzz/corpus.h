// Inputs as lines of text: hexadecimal, with `(n)` for n bytes of 0 in a row.
#pragma once

#include <stdlib.h>

#include <fstream>
#include <string>
#include <vector>

namespace sbx::fuzz {

inline std::string Encode(const std::string& input) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t at = 0; at < input.size();) {
    size_t end = at;
    while (end < input.size() && input[end] == '\0') ++end;
    if (end - at >= 4) {
      text += '(' + std::to_string(end - at) + ')';
      at = end;
      continue;
    }
    const auto byte = (uint8_t)input[at++];
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

inline std::string Decode(const std::string& text) {
  std::string input;
  for (size_t at = 0; at + 1 < text.size();) {
    if (text[at] == '(') {
      input.append(strtoul(text.c_str() + at + 1, nullptr, 10), '\0');
      at = text.find(')', at) + 1;
      continue;
    }
    input += (char)strtoul(text.substr(at, 2).c_str(), nullptr, 16);
    at += 2;
  }
  return input;
}

inline std::vector<std::string> ReadCorpus(const std::string& file) {
  std::vector<std::string> inputs;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) inputs.push_back(Decode(line));
  return inputs;
}

inline void WriteCorpus(const std::string& file, const std::vector<std::string>& inputs) {
  std::ofstream out(file);
  for (const std::string& input : inputs) out << Encode(input) << '\n';
}

}  // namespace sbx::fuzz
