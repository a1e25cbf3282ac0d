/** The two replicas of each process. */
export type Replica = 'a' | 'b'
