import type { Place } from '../names/place.ts'

/** A user or a group that can have roles, in the instance or in an organization. */
export type Holder = { kind: 'user' | 'group'; id: string; name: string; place: Place }
