/** A user or a group that can have roles. */
export type Holder = { kind: 'user' | 'group'; id: string; name: string }
