import schemas from 'virtual:form-schemas'
import { otherUserFields } from './user-fields.ts'

/** The attributes of a user, in the order in which people read them. */
export const attributeNames = Object.keys(schemas.UserChange.properties).filter(
  (name) => !(otherUserFields as readonly string[]).includes(name),
)
