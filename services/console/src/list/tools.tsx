import { Button, Checkbox, Menu, NativeSelect, Popover, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useAddressState } from '../parts/address.ts'
import { useNotices } from '../parts/notice.tsx'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { ChosenFilters } from './chosen-filters.tsx'
import { csvOf } from './csv.ts'
import type { Filter, ListDefinition, ListPath } from './definition.ts'
import { mostRows, readAll, saveFile } from './export.ts'
import classes from './list.module.css'
import { isLive, shownColumns } from './shown.ts'
import { listTexts } from './texts.ts'

/** In milliseconds. */
const typing = 250

/** The tools above a list: the search, the filters, the columns and the export. */
export function Tools<Path extends ListPath>({
  list,
  query,
  total,
}: {
  list: ListDefinition<Path>
  query: Record<string, string>
  total: number | undefined
}) {
  const t = useTexts(listTexts)
  const { language } = useLanguage()
  const { searchParams, setSearchParams } = useAddressState()
  const filters = list.filters ?? []
  const anything = Boolean(searchParams.search) || filters.some(({ name }) => searchParams[name])
  const typed = filters.filter(({ kind }) => kind !== 'found')
  // On a wide screen they are always there.
  const [open, setOpen] = useState(
    Boolean(searchParams.search) || typed.some(({ name }) => searchParams[name]),
  )
  return (
    <div className={classes.tools}>
      {list.searchHint && <SearchBox hint={list.searchHint} />}
      {list.finder && <div className={classes.search}>{list.finder}</div>}
      {typed.length > 0 && (
        <Button
          variant="default"
          className={classes.opener}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {t.filters}
        </Button>
      )}
      <div className={classes.filters} data-open={open || undefined}>
        {typed
          .filter(({ kind }) => kind !== 'moment')
          .map((filter) => (
            <FilterInput key={filter.name} filter={filter} />
          ))}
        <Moments filters={typed.filter(({ kind }) => kind === 'moment')} />
        {anything && (
          <Button
            variant="subtle"
            onClick={() =>
              setSearchParams(
                Object.fromEntries(
                  ['search', 'cursor', ...filters.map(({ name }) => name)].map((name) => [name, undefined]),
                ),
              )
            }
          >
            {t.clear}
          </Button>
        )}
      </div>
      <div className={classes.end}>
        {/* The API counts all there are, whatever is filtered. */}
        {total !== undefined && !anything && (
          <Text c="dimmed" size="sm" style={{ alignSelf: 'center' }}>
            {t.total(total.toLocaleString(language))}
          </Text>
        )}
        {list.live && (
          <Switch
            label={t.live}
            checked={isLive(list, searchParams)}
            onChange={({ currentTarget }) =>
              setSearchParams({ live: currentTarget.checked ? 'true' : undefined, cursor: undefined })
            }
            style={{ alignSelf: 'center' }}
          />
        )}
        <ColumnChoice list={list} />
        {list.exportName && <Export list={list} query={query} />}
      </div>
      <ChosenFilters filters={filters} />
    </div>
  )
}

function SearchBox({ hint }: { hint: string }) {
  const t = useTexts(listTexts)
  const { searchParams, setSearchParams } = useAddressState()
  const [text, setText] = useState(searchParams.search ?? '')
  const sent = useRef(text)
  // The address also changes when people go back, and when they clear the filters. Text that they typed meanwhile stays.
  useEffect(() => {
    const search = searchParams.search ?? ''
    if (search === sent.current) return
    sent.current = search
    setText(search)
  }, [searchParams.search])
  const search = useDebouncedCallback((wanted: string) => {
    sent.current = wanted
    setSearchParams({ search: wanted, cursor: undefined }, { replace: true })
  }, typing)
  return (
    <TextInput
      className={classes.search}
      type="search"
      aria-label={t.search}
      placeholder={hint}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value)
        search(value)
      }}
    />
  )
}

/** The ends of a time, which stay beside each other. */
function Moments({ filters }: { filters: readonly Filter[] }) {
  if (filters.length === 0) return null
  return (
    <div className={classes.moments}>
      {filters.map((filter) => (
        <FilterInput key={filter.name} filter={filter} />
      ))}
    </div>
  )
}

function FilterInput({ filter }: { filter: Filter }) {
  const common = useTexts(commonTexts)
  const { searchParams, setSearchParams } = useAddressState()
  const value = searchParams[filter.name] ?? ''
  const change = (wanted: string) =>
    setSearchParams({ [filter.name]: wanted, cursor: undefined }, { replace: true })
  if (filter.kind === 'choice')
    return (
      <NativeSelect
        aria-label={filter.label}
        data={[{ value: '', label: `${filter.label}: ${common.all}` }, ...filter.choices]}
        value={value}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    )
  return <TypedFilter filter={filter} value={value} onChange={change} />
}

/** A filter that counts when people leave it or press Enter. */
function TypedFilter({
  filter,
  value,
  onChange,
}: {
  filter: Filter
  value: string
  onChange(value: string): void
}) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const moment = filter.kind === 'moment'
  return (
    <TextInput
      {...(moment ? { label: filter.label } : { placeholder: filter.label })}
      aria-label={filter.label}
      type={moment ? 'datetime-local' : 'text'}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => text.trim() !== value && onChange(text.trim())}
      onKeyDown={({ key }) => key === 'Enter' && onChange(text.trim())}
    />
  )
}

function ColumnChoice<Path extends ListPath>({ list }: { list: ListDefinition<Path> }) {
  const t = useTexts(listTexts)
  const { searchParams, setSearchParams } = useAddressState()
  const shown = shownColumns(list.columns, searchParams.columns).map(({ name }) => name)
  return (
    <Popover position="bottom-end">
      <Popover.Target>
        <Button variant="default">{t.columns}</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {list.columns.map(({ name, label }) => (
            <Checkbox
              key={name}
              label={label}
              checked={shown.includes(name)}
              disabled={shown.length === 1 && shown.includes(name)}
              onChange={({ currentTarget }) => {
                const wanted = currentTarget.checked ? [...shown, name] : shown.filter((one) => one !== name)
                setSearchParams({ columns: wanted.join(',') }, { replace: true })
              }}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function Export<Path extends ListPath>({
  list: { path, params, columns, exportName = '' },
  query: { cursor: _, ...query },
}: {
  list: ListDefinition<Path>
  query: Record<string, string>
}) {
  const t = useTexts(listTexts)
  const { done, failed } = useNotices()
  const [busy, setBusy] = useState(false)
  async function save(format: 'CSV' | 'JSON') {
    setBusy(true)
    try {
      const { items, cut } = await readAll(path, { ...params, query })
      if (format === 'CSV') saveFile(`${exportName}.csv`, 'text/csv', csvOf(items, columns))
      else saveFile(`${exportName}.json`, 'application/json', JSON.stringify(items, undefined, 2))
      if (cut) done(t.exportCut(mostRows))
    } catch (error) {
      failed(error)
    }
    setBusy(false)
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" loading={busy}>
          {t.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['CSV', 'JSON'] as const).map((format) => (
          <Menu.Item key={format} onClick={() => void save(format)}>
            {t.exportAs(format)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
