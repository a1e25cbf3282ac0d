// The orders that lists of the administrators' API have: the first is the default, `-` before a name is descending.

/** What a list of clients can be sorted by. */
export const clientSorts = ['-created_at', 'created_at', 'client_name', '-client_name'] as const

/** What a list of users can be sorted by. */
export const userSorts = ['username', '-username', '-created_at', 'created_at'] as const
