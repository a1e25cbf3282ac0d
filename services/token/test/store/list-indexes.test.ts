import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { expect, test } from 'vitest'
import { createPartitions } from '../../src/store/partitions.ts'
import { useDatabase } from './database.ts'

const shared = useDatabase()

const read = (path: string) => readFile(join(rootDirectory, path), 'utf8')
const migrationOf = (name: string) => read(`prisma/migrations/${name}/migration.sql`)

test('the migration uses the indexes that docs/operate/operations.md builds before an upgrade', async () => {
  const { pool } = shared.database
  const build = await migrationOf('20261127000000_smaller_token_list_indexes')
  const drop = await migrationOf('20261127010000_drop_larger_token_list_indexes')
  const [, statements = ''] =
    /```sql\n(select format[^\\]*)\\gexec/.exec(await read('docs/operate/operations.md')) ?? []
  await createPartitions(shared.database).maintain(Date.now() / 1000)

  // As it was before both migrations.
  await pool.query(drop.replaceAll('_jti_idx', '_idx'))
  await pool.query(build.replaceAll('expires_at)', 'expires_at, jti)').replaceAll('at_idx', 'at_jti_idx'))
  const { rows } = await pool.query<string[]>({ text: statements, rowMode: 'array' })
  for (const statement of rows.flat()) await pool.query(statement)
  const built = await indexes()
  expect(rows.length).toBeGreaterThan(10)
  expect(built).toHaveLength(rows.flat().length)

  // As after an interruption.
  const [first] = built
  const validate = (valid: boolean) =>
    pool.query('update pg_index set indisvalid = $1 where indexrelid = $2::regclass', [
      valid,
      `token.${first?.relname}`,
    ])
  await validate(false)
  await expect(pool.query(build)).rejects.toThrow(
    `these indexes are incomplete: token.${first?.relname}; drop them and migrate again`,
  )
  await validate(true)

  await pool.query(build)
  await pool.query(drop)
  expect(await indexes()).toEqual(built)
})

/** The files of the partitions' indexes for lists; one that is built again has another file. */
const indexes = () =>
  shared.query(
    `select relname, relfilenode from pg_class where relkind = 'i' and relname ~ '^access_tokens_.*_id_expires_at_idx$' order by 1`,
  )
