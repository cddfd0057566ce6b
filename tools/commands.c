/* Every command, in the order of `kgrad help`. */
#include "tools/command.h"

extern const tool_command tool_audit, tool_check, tool_devices, tool_fuzz, tool_grad, tool_ops, tool_prim, tool_reduce, tool_run_command, tool_show, tool_verify;

const tool_command *const tool_commands[] = {
    &tool_grad, &tool_verify, &tool_audit, &tool_run_command, &tool_check, &tool_show, &tool_prim, &tool_fuzz, &tool_reduce, &tool_ops, &tool_devices,
    NULL,
};
