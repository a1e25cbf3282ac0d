import { Combobox, Text, TextInput, useCombobox } from '@mantine/core'
import { useLayoutEffect, useState } from 'react'
import { useFirstOnEnter, useSought } from '../actions/sought.ts'
import { useAddressState } from '../parts/address.ts'
import { useTexts } from '../texts/language.ts'
import { useFound } from './found.ts'
import { everythingTexts } from './texts/everything.ts'

/** Finds the user, the client or the address whose activity the list shows. */
export function Finder() {
  const t = useTexts(everythingTexts)
  const { setSearchParams } = useAddressState()
  const [text, setText] = useState('')
  const sought = useSought(text)
  const { groups, fetching, failed } = useFound(sought.text)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const options = groups.flatMap(({ options }) => options)
  const first = options[0]?.key
  const { dropdownOpened } = combobox
  // biome-ignore lint/correctness/useExhaustiveDependencies: Enter takes the first of what was found, so it is chosen whenever that changes or is shown.
  useLayoutEffect(() => void (first && combobox.selectFirstOption()), [first, sought.text, dropdownOpened])
  const state = fetching || sought.stale ? t.searching : failed ? t.searchFailed : t.nothingFound

  function choose(key: string): void {
    const option = options.find((one) => one.key === key)
    if (option === undefined) return
    setSearchParams({ [option.filter]: option.value, cursor: undefined })
    setText('')
    combobox.closeDropdown()
  }
  const onKeyDown = useFirstOnEnter(sought, { first, fetching, take: choose })
  return (
    // Enter must not take what an earlier text found.
    <Combobox store={combobox} onOptionSubmit={choose} readOnly={sought.stale} withinPortal={false}>
      <Combobox.Target withExpandedAttribute>
        <TextInput
          type="search"
          aria-label={t.find}
          placeholder={t.find}
          value={text}
          onChange={({ currentTarget: { value } }) => {
            setText(value)
            combobox.openDropdown()
          }}
          onKeyDown={onKeyDown}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={text.trim() === ''}>
        {options.length === 0 && <Combobox.Empty role="status">{state}</Combobox.Empty>}
        <Combobox.Options aria-label={t.find} hidden={options.length === 0}>
          {groups.map(({ label, options }) => (
            <Combobox.Group key={label} label={label}>
              {options.map(({ key, name, detail }) => (
                <Combobox.Option key={key} value={key}>
                  <Text size="sm" truncate>
                    <bdi>{name}</bdi>
                  </Text>
                  <Text size="xs" truncate>
                    <bdi>{detail}</bdi>
                  </Text>
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
