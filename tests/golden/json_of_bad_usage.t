;;; TOOL: kgrad ops --json --no-such
;;; EXIT: 2
;;; STDOUT:
{"command":"ops","status":2,"diagnostics":[{"id":"unknown-option","severity":"error","file":null,"message":"unknown option --no-such","fix":"kgrad ops --help lists the options"}],"result":{}}
