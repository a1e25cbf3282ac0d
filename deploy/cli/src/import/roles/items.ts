/** A group to create. */
export type GroupItem = { group: string }

/** A role to add to a resource server, which is created where there is none. */
export type RoleItem = { identifier: string; role: string; description: string }

/** A group by its name; or a user, by the id that they had before where the file has it. */
export type Holder = { group: string } | { username: string; userId: string | undefined }

/** The thing that a holder gets: the membership of a group, or a role. */
export type Gift = { group: string } | { identifier: string; role: string }

/** A membership or a role of somebody. */
export type GiftItem = { holder: Holder; gift: Gift }

/** The roles of a client, and those that it reads. */
export type ClientItem = {
  clientId: string
  /** Its own roles, those of its service account in Keycloak, with the scope of their resource servers. */
  roles: readonly { identifier: string; role: string; scope: string }[]
  /** The resource server whose roles it reads in ID tokens; undefined for none. */
  rolesOf: string | undefined
}
