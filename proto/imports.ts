// The limits of one import request, for the administrators' API, its clients and the services.

/** The most users of a request. */
export const mostImportedUsers = 500

/** The most of them that come with a password in plain text, since each is hashed. */
export const mostImportedPasswords = 50

/** The most clients of a request. */
export const mostImportedClients = 100

/** The largest body of a request, in bytes. */
export const largestImport = 4 * 1_024 * 1_024
