import { type Foreign, textsOf } from '../fields/fields.ts'

/** A role of Keycloak as others name it. */
export type RoleRef = {
  /** The client whose role it is; undefined for a role of the realm. */
  client: string | undefined
  role: string
}

/** A text that is the same for the same role. */
export const keyOf = ({ client, role }: RoleRef): string => JSON.stringify([client ?? null, role])

/** A role in words, such as `orders editor`. */
export const wordsOf = ({ client, role }: RoleRef): string =>
  client === undefined ? role : `${client} ${role}`

/** The roles that a user or a group of Keycloak has, those of the realm first. */
export function refsIn({ realmRoles, clientRoles, applicationRoles }: Foreign): RoleRef[] {
  return [
    ...textsOf(realmRoles).map((role) => ({ client: undefined, role })),
    ...refsOfClients(clientRoles ?? applicationRoles),
  ]
}

/** The roles of an object that has the names of roles by client. */
export function refsOfClients(byClient: unknown): RoleRef[] {
  return Object.entries(Object(byClient ?? {})).flatMap(([client, roles]) =>
    textsOf(roles).map((role) => ({ client, role })),
  )
}
