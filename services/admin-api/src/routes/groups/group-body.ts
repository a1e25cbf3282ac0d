import { unchecked } from '@gatehouse/http/schemas'
import { groups } from '@gatehouse/proto/administered/groups'
import { groupLimits, groupFields as words } from '@gatehouse/proto/groups'
import type { Group } from '@gatehouse/proto/identity/v1'
import { type Static, Type } from '@gatehouse/proto/typebox'
import { carriedFields } from '../../administered.ts'
import { moment, momentOf } from '../../schemas.ts'

const wordsOf = (field: keyof typeof words) => ({
  title: words[field].label,
  description: words[field].description,
})

/** The fields that administrators may set, by the API's names. The identity service validates the values. */
export const groupSettings = {
  name: Type.String({ ...unchecked({ minLength: 1, maxLength: groupLimits.name }), ...wordsOf('name') }),
  description: Type.String({
    ...unchecked({ maxLength: groupLimits.description }),
    ...wordsOf('description'),
  }),
}

/** A group for the document. */
export const groupExample = {
  group_id: '<GROUP_ID>',
  name: 'Developers',
  description: 'They write the software.',
  source: 'local',
  created_at: '2026-01-01T00:00:00.000Z',
  revision: 1,
}

/** A group as administrators see it. */
export const groupSchema = Type.Object(
  {
    group_id: Type.String(),
    ...groupSettings,
    source: Type.String({
      description: '`local`, or the directory that alone changes the group and its members.',
    }),
    ...carriedFields(groups),
    created_at: moment('When the group was created.'),
    revision: Type.Integer({
      description: 'Increases with every change of the fields, but not of the members.',
    }),
  },
  { title: 'Group', description: 'The group.', examples: [groupExample] },
)

/** A group as JSON. @throws Error where the identity service gave none */
export function groupBody(group: Group | undefined): Static<typeof groupSchema> {
  if (group === undefined) throw new Error('the identity service gave no group')
  const { groupId, name, description, source, columns, createdAt, revision } = group
  return {
    group_id: groupId,
    ...{ name, description, source },
    ...columns,
    created_at: momentOf(createdAt),
    revision: Number(revision),
  }
}
