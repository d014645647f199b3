// A fuzzer for targets that are built with -fsanitize-coverage=trace-pc: changes inputs, keeps those that
// reach something new.
//
//   fuzz TARGET [--seconds N | --executions N] [--seed N] [--corpus FILE]… [--keep FILE] [--work FILE]
//   [--crash FILE]
//
// --corpus: inputs to begin with, a line each; --keep writes the fewest that reach all that is known. --work:
// what a long run has found and how far it is, written every minute, at SIGINT and SIGTERM; a run that is
// given it goes on from there. --crash: where the input goes that was wrong; given a file that is there, only
// that is run.
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fstream>

#include "corpus.h"
#include "fuzzer.h"
#include "target.h"

namespace sbx::fuzz {
namespace {

constexpr char kUsage[] =
    "usage: fuzz helper|counters [--seconds N | --executions N] [--seed N] [--corpus FILE]... "
    "[--keep FILE] [--work FILE] [--crash FILE]\n";

std::string gCrashFile;
volatile bool gStop = false;

void SaveCurrent() {
  if (gCurrent == nullptr) return;
  std::ofstream(gCrashFile) << Encode(*gCurrent) << '\n';
  fprintf(stderr, "the input is in %s\n", gCrashFile.c_str());
  gCurrent = nullptr;
}

void OnAbort(int) { SaveCurrent(); }
void OnStop(int) { gStop = true; }
[[noreturn]] void OnHang(int) { Wrong("an input takes too long"); }

bool Take(Options& options, const std::string& name, const char* value) {
  if (name == "--seconds") options.seconds = atof(value);
  else if (name == "--executions") options.executions = strtoul(value, nullptr, 10);
  else if (name == "--seed") options.seed = (uint32_t)strtoul(value, nullptr, 10);
  else if (name == "--corpus") options.corpora.emplace_back(value);
  else if (name == "--keep") options.keep = value;
  else if (name == "--work") options.work = value;
  else if (name == "--crash") options.crash = value;
  else return false;
  return true;
}

int Main(int argc, char** argv) {
  const Target* target = nullptr;
  for (const Target* one : {&kHelperTarget, &kCountersTarget})
    if (argc > 1 && strcmp(argv[1], one->name) == 0) target = one;
  Options options;
  for (int i = 2; i < argc; i += 2)
    if (i + 1 == argc || !Take(options, argv[i], argv[i + 1])) target = nullptr;
  if (target == nullptr) return fputs(kUsage, stderr), 2;
  gCrashFile = options.crash;
  signal(SIGABRT, OnAbort);
  signal(SIGPROF, OnHang);
  signal(SIGINT, OnStop);
  signal(SIGTERM, OnStop);
  if (const std::vector<std::string> crashes = ReadCorpus(options.crash); !crashes.empty()) {
    for (const std::string& input : crashes) target->run(input);
    return printf(
               "%s: %zu inputs of %s, nothing wrong\n", target->name, crashes.size(), options.crash.c_str()),
           0;
  }
  Fuzzer(*target, options).Run(gStop);
  return gStop ? 128 + SIGINT : 0;
}

}  // namespace

void Wrong(const char* what) {
  fprintf(stderr, "%s\n", what);
  __sanitizer_print_stack_trace();
  abort();
}

}  // namespace sbx::fuzz

// Whatever a sanitizer finds ends in SIGABRT. Freed memory is held back for as long as an input runs, and not
// much longer: fresh pages cost more than most inputs do. Nor is it noted who allocated:
// ASAN_OPTIONS=malloc_context_size=30 says it, with --crash.
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1:detect_leaks=0:quarantine_size_mb=4:malloc_context_size=0";
}
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

int main(int argc, char** argv) { return sbx::fuzz::Main(argc, argv); }
