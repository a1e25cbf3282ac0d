/**
 * The module node:http. An `import` of it also reads its WebSocket, for which Node loads all of its HTTP client: that took every
 * process 60 ms of CPU time at its start.
 */
export const http = process.getBuiltinModule('node:http')
