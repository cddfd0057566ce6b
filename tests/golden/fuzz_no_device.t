;;; TOOL: kgrad fuzz --property values
;;; EXIT: 2
;;; STDERR:
kgrad: error: values is asked of devices, and none is named [no-device-for]
  fix: give --device vulkan, cpu or all
