/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves ACL functions of the stand-in by exceptions and by longjmp, in the way that the argument names. */
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <thread>

extern "C" {
int aclrtSetDevice(int32_t device);
int aclrtLaunchCallback(int (*function)(void *arg), void *arg);
}

namespace
{
struct guard {
    ~guard()
    {
        aclrtSetDevice(3);
    }
};

int depth;
std::jmp_buf way_out;

int throw_in_scope(void *)
{
    guard inner;
    throw std::runtime_error("left");
}

int throw_deep(void *)
{
    if (--depth == 0)
        throw depth;
    return aclrtLaunchCallback(throw_deep, nullptr);
}

int jump_deep(void *)
{
    if (--depth == 0)
        std::longjmp(way_out, 1);
    return aclrtLaunchCallback(jump_deep, nullptr);
}

int return_deep(void *)
{
    return --depth == 0 ? 0 : aclrtLaunchCallback(return_deep, nullptr);
}

void catch_three()
{
    for (int i = 0; i < 3; i++) {
        try {
            guard outer;
            aclrtLaunchCallback(throw_in_scope, nullptr);
        } catch (const std::runtime_error &) {
            aclrtSetDevice(1);
        }
    }
}

void catch_in_thread()
{
    std::thread thread([] {
        try {
            aclrtLaunchCallback(throw_in_scope, nullptr);
        } catch (const std::runtime_error &) {
        }
    });
    thread.join();
}

void leave_fifty(bool by_exception)
{
    depth = 50;
    if (by_exception) {
        try {
            aclrtLaunchCallback(throw_deep, nullptr);
        } catch (int) {
        }
    } else if (setjmp(way_out) == 0) {
        aclrtLaunchCallback(jump_deep, nullptr);
    }
    depth = 50;
    aclrtLaunchCallback(return_deep, nullptr);
}
} // namespace

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (std::strcmp(how, "caught") == 0)
        catch_three();
    else if (std::strcmp(how, "thread") == 0)
        catch_in_thread();
    else if (std::strcmp(how, "terminate") == 0)
        aclrtLaunchCallback(throw_in_scope, nullptr);
    else
        leave_fifty(std::strcmp(how, "deep throw") == 0);
    return 0;
}
