// Release 0.7.0, which may run beside this one, does not know organizations: it would give tokens of none for a code or a refresh token of
// one. In rows of an organization a text that it compares has a mark before it, so that it refuses them.
const mark = 'organization:'

/**
 * The text as a row has it.
 * @param organizationId that of the row; undefined for none
 */
export function marked(text: string, organizationId: string | undefined): string {
  return organizationId === undefined ? text : `${mark}${text}`
}

/**
 * The SQL of the text as a row has it.
 * @param text the SQL of the text
 * @param row the alias of the row, which has organization_id
 */
export const markedSql = (text: string, row: string) =>
  `case when ${row}.organization_id is null then ${text} else '${mark}' || ${text} end`

/** The SQL of the text without the mark. @param column the row's column with it */
export const unmarkedSql = (column: string, row: string) =>
  `case when ${row}.organization_id is null then ${row}.${column} else substr(${row}.${column}, ${mark.length + 1}) end`
