// JavaScript values to plain ones, each property checked by name before any system call. Our own TypeScript
// is the only caller and has checked the user's input; a failure here is a bug, and says which property.
#pragma once

#include <napi.h>

#include <string>
#include <string_view>
#include <vector>

namespace sbx {

// What the kernel refused, thrown: `what` goes on after "could not". For constructors, which have no other
// way.
void ThrowRefused(Napi::Env env, const char* what, int error);

// Of a typed array; empty for anything else.
std::string_view BytesOf(Napi::Value value);

class Args {
 public:
  Args(Napi::Env env, Napi::Value value) : env_(env) {
    if (value.IsObject()) object_ = value.As<Napi::Object>();
    else Fail("argument", "an object");
  }

  // Missing and undefined give the fallback where one is given.
  double Number(const char* name);
  double Number(const char* name, double fallback);
  uint32_t Uint(const char* name) { return (uint32_t)Number(name); }
  uint32_t Uint(const char* name, uint32_t fallback) { return (uint32_t)Number(name, fallback); }
  uint64_t Uint64(const char* name, uint64_t fallback) { return (uint64_t)Number(name, (double)fallback); }
  int Int(const char* name) { return (int)Number(name); }
  bool Flag(const char* name);
  std::string Text(const char* name);
  std::vector<int> Ints(const char* name);
  Napi::Array Array(const char* name);
  Napi::Value Get(const char* name) { return failed_ ? env_.Undefined() : object_.Get(name); }

  bool failed() const { return failed_; }

 private:
  void Fail(const char* name, const char* expected);

  Napi::Env env_;
  Napi::Object object_;
  bool failed_ = false;
};

}  // namespace sbx
