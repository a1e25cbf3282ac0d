/** Fields of a user that have inputs of their own, and buttons. */
export const otherUserFields = ['disabled', 'admin', 'admin_role', 'password', 'language'] as const
