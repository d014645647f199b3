// A kernel for the helper under test. Nothing of it reaches the machine: descriptors, children, time and
// files are made up, and what happens is what the events say. Everything that a call hands over is read, so
// that the sanitizers see it.
#pragma once

#include <string>

namespace sbx::fuzz {

// The process under test ended, by its own exit, an exec, or the end of its events.
struct Ended {};

// Starts anew with these events. `socket`: the descriptor that is open from the start.
void StartKernel(const std::string& input, int socket);
// Lets the text events at the front happen, without a call that waits.
void TakeText();
// After the process has ended: what it held is given back.
void StopKernel();

}  // namespace sbx::fuzz
