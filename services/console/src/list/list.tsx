import { Checkbox, Loader, Table, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api.ts'
import { useAddressState } from '../parts/address.ts'
import { Failure } from '../parts/failure.tsx'
import { Icon } from '../parts/icons.tsx'
import { useRefetchInterval } from '../shell/session-state.ts'
import { useTexts } from '../texts/language.ts'
import { BulkActions } from './bulk-actions.tsx'
import type { Column, ItemOf, ListDefinition, ListPath } from './definition.ts'
import classes from './list.module.css'
import { Pager } from './pager.tsx'
import { isLive, queryOf, shownColumns } from './shown.ts'
import { listTexts } from './texts.ts'
import { Tools } from './tools.tsx'

/** How often a live list is read again, in milliseconds. */
const liveInterval = 3_000

/** A list of the API. Its state is in the address. */
export function List<Path extends ListPath>({ list }: { list: ListDefinition<Path> }) {
  type Item = ItemOf<Path>
  const t = useTexts(listTexts)
  const { searchParams, setSearchParams } = useAddressState()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const query = queryOf(list, searchParams)
  const live = isLive(list, searchParams)
  const interval = useRefetchInterval(liveInterval)
  const page = useQuery({
    ...read(list.path, { ...list.params, query }),
    placeholderData: keepPreviousData,
    refetchInterval: live && interval,
  })

  // Every list of the API answers in this form, which TypeScript cannot follow for a path that it does not know yet.
  const answer = page.data as { items: readonly Item[]; next_cursor?: string; total?: number } | undefined
  const items = answer?.items ?? []
  const columns = shownColumns(list.columns, searchParams.columns)
  const chosen = items.filter((item) => selected.has(list.id(item)))
  const select = (ids: readonly string[], wanted: boolean) => {
    const next = new Set(selected)
    for (const id of ids) wanted ? next.add(id) : next.delete(id)
    setSelected(next)
  }
  const filtered = Boolean(searchParams.search) || (list.filters ?? []).some(({ name }) => searchParams[name])

  return (
    <>
      <Tools list={list} query={query} total={answer?.total} />
      {chosen.length > 0 && (
        <BulkActions
          actions={list.bulk ?? []}
          items={chosen}
          nameOf={list.nameOf}
          onDone={() => setSelected(new Set())}
        />
      )}
      {page.isError && <Failure error={page.error} retry={page.refetch} />}
      {/* Beside an error nothing says that there are no rows: nobody knows. */}
      {!(page.isError && items.length === 0) && (
        <section
          className={classes.surface}
          data-busy={page.isPlaceholderData || undefined}
          aria-busy={page.isFetching}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: people with a keyboard must be able to scroll a wide table.
          tabIndex={0}
          aria-label={t.rows}
        >
          {page.isPending ? (
            <div className={classes.empty}>
              <Loader size="sm" />
            </div>
          ) : items.length === 0 ? (
            <div className={classes.empty}>{filtered ? <Text>{t.nothingMatches}</Text> : list.empty}</div>
          ) : (
            <Table highlightOnHover verticalSpacing="xs">
              <Table.Thead>
                <Table.Tr>
                  {list.bulk && (
                    <Table.Th w={40}>
                      <Checkbox
                        aria-label={t.selectAll}
                        checked={chosen.length === items.length}
                        indeterminate={chosen.length > 0 && chosen.length < items.length}
                        onChange={({ currentTarget }) => select(items.map(list.id), currentTarget.checked)}
                      />
                    </Table.Th>
                  )}
                  {columns.map((column) => (
                    <Heading
                      key={column.name}
                      column={column}
                      sort={searchParams.sort || list.defaultSort}
                      onSort={(sort) =>
                        setSearchParams({
                          sort: sort === list.defaultSort ? undefined : sort,
                          cursor: undefined,
                        })
                      }
                    />
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map((item) => (
                  <Table.Tr key={list.id(item)}>
                    {list.bulk && (
                      <Table.Td>
                        <Checkbox
                          aria-label={t.select(list.nameOf(item))}
                          checked={selected.has(list.id(item))}
                          onChange={({ currentTarget }) => select([list.id(item)], currentTarget.checked)}
                        />
                      </Table.Td>
                    )}
                    {columns.map((column) => (
                      <Table.Td key={column.name}>{column.cell(item)}</Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </section>
      )}
      <Pager next={answer?.next_cursor} />
    </>
  )
}

function Heading<Item>({
  column: { label, sort: field },
  sort,
  onSort,
}: {
  column: Column<Item>
  sort: string | undefined
  onSort(sort: string): void
}) {
  const t = useTexts(listTexts)
  if (field === undefined) return <Table.Th style={{ whiteSpace: 'nowrap' }}>{label}</Table.Th>
  const direction = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  return (
    <Table.Th aria-sort={direction}>
      <button
        type="button"
        className={classes.heading}
        title={t.sortBy(label)}
        onClick={() => onSort(direction === 'ascending' ? `-${field}` : field)}
      >
        {label}
        {direction !== 'none' && <Icon name={direction === 'ascending' ? 'up' : 'down'} size={14} />}
      </button>
    </Table.Th>
  )
}
