/** A user as he is kept. */
export type User = {
  id: string
  username: string
  /** undefined: cannot log in by password. */
  passwordHash: string | undefined
  admin: boolean
  disabled: boolean
}

/** Where users are kept. Names that differ in case alone are the same name. */
export type UserStore = {
  findByName(username: string): Promise<User | undefined>
  /** @returns false when there is a user of this name already, who stays as he is */
  add(user: Pick<User, 'id' | 'username' | 'passwordHash' | 'admin'>): Promise<boolean>
}
