#include "decode.h"

namespace sbx {

void ThrowRefused(Napi::Env env, const char* what, int error) {
  const Napi::Error refused = Napi::Error::New(env, what);
  refused.Value().Set("errno", Napi::Number::New(env, error));
  refused.ThrowAsJavaScriptException();
}

std::string_view BytesOf(Napi::Value value) {
  if (!value.IsTypedArray()) return {};
  const auto array = value.As<Napi::Uint8Array>();
  return {reinterpret_cast<const char*>(array.Data()), array.ByteLength()};
}

void Args::Fail(const char* name, const char* expected) {
  if (failed_) return;
  failed_ = true;
  Napi::TypeError::New(env_, std::string("native: ") + name + " must be " + expected)
      .ThrowAsJavaScriptException();
}

double Args::Number(const char* name) {
  const Napi::Value value = Get(name);
  if (value.IsNumber()) return value.As<Napi::Number>().DoubleValue();
  Fail(name, "a number");
  return 0;
}

double Args::Number(const char* name, double fallback) {
  const Napi::Value value = Get(name);
  if (value.IsUndefined() || value.IsNull()) return fallback;
  return Number(name);
}

bool Args::Flag(const char* name) {
  const Napi::Value value = Get(name);
  if (value.IsUndefined()) return false;
  if (!value.IsBoolean()) Fail(name, "a boolean");
  return value.ToBoolean().Value();
}

std::string Args::Text(const char* name) {
  const Napi::Value value = Get(name);
  if (value.IsString()) return value.As<Napi::String>().Utf8Value();
  Fail(name, "a string");
  return {};
}

Napi::Array Args::Array(const char* name) {
  const Napi::Value value = Get(name);
  if (value.IsArray()) return value.As<Napi::Array>();
  if (!value.IsUndefined()) Fail(name, "an array");
  return Napi::Array::New(env_);
}

std::vector<int> Args::Ints(const char* name) {
  const Napi::Array array = Array(name);
  std::vector<int> result(array.Length());
  for (uint32_t i = 0; i < result.size(); ++i) {
    const Napi::Value value = array.Get(i);
    if (!value.IsNumber()) Fail(name, "an array of numbers");
    else result[i] = value.As<Napi::Number>().Int32Value();
  }
  return result;
}

}  // namespace sbx
