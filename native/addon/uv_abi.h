// The functions of libuv that the addon uses. Node exports them, but its headers come only with a download or
// a distribution package, and building must need neither; libuv's ABI has been stable since 1.0.
#pragma once

#include <stddef.h>

extern "C" {
struct uv_loop_s;
struct uv_handle_s;
typedef void (*uv_poll_cb)(uv_handle_s* handle, int status, int events);
typedef void (*uv_close_cb)(uv_handle_s* handle);

size_t uv_handle_size(int type);
int uv_poll_init(uv_loop_s* loop, uv_handle_s* handle, int fd);
int uv_poll_start(uv_handle_s* handle, int events, uv_poll_cb callback);
void uv_close(uv_handle_s* handle, uv_close_cb callback);
void uv_ref(uv_handle_s* handle);
void uv_unref(uv_handle_s* handle);
void uv_handle_set_data(uv_handle_s* handle, void* data);
void* uv_handle_get_data(const uv_handle_s* handle);
// pthread_t is a word on every Linux. Through libuv, since pthread_create would tie the addon to the C
// library it was built with.
int uv_thread_create(unsigned long* thread, void (*entry)(void*), void* argument);
int uv_thread_join(unsigned long* thread);
}

namespace sbx {
constexpr int kUvPoll = 8;      // UV_POLL
constexpr int kUvReadable = 1;  // UV_READABLE
}  // namespace sbx
