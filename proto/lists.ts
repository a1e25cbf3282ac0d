// The orders of lists in the administrators' API. The first is the default; `-` before a field sorts in descending order.

/** The orders of a list of clients. */
export const clientSorts = ['-created_at', 'created_at', 'client_name', '-client_name'] as const

/** The orders of a list of users. */
export const userSorts = ['username', '-username', '-created_at', 'created_at'] as const

/** The orders of a list of resource servers. */
export const resourceServerSorts = ['-created_at', 'created_at', 'name', '-name'] as const
