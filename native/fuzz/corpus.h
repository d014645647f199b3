// Inputs as lines of text: hexadecimal, with `(n)` for n bytes of 0 in a row.
#pragma once

#include <stdio.h>
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

// Lines that begin with # are none.
inline std::vector<std::string> ReadCorpus(const std::string& file) {
  std::vector<std::string> inputs;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with('#')) inputs.push_back(Decode(line));
  return inputs;
}

constexpr char kExecutionsMark[] = "# executions ";

// Of the runs that the file comes from; 0 when it says nothing.
inline unsigned long ReadExecutions(const std::string& file) {
  std::string line;
  std::ifstream lines(file);
  std::getline(lines, line);
  return line.starts_with(kExecutionsMark) ? strtoul(line.c_str() + sizeof(kExecutionsMark) - 1, nullptr, 10)
                                           : 0;
}

// Whole or not at all: a run can be killed while it writes.
inline void WriteCorpus(
    const std::string& file, const std::vector<std::string>& inputs, unsigned long executions = 0) {
  const std::string draft = file + ".draft";
  {
    std::ofstream out(draft);
    if (executions > 0) out << kExecutionsMark << executions << '\n';
    for (const std::string& input : inputs) out << Encode(input) << '\n';
    if (!out.flush()) return (void)fprintf(stderr, "%s cannot be written\n", draft.c_str());
  }
  if (rename(draft.c_str(), file.c_str()) != 0) perror(file.c_str());
}

}  // namespace sbx::fuzz
