import { Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAddressState } from './address.ts'

/** A part of a page. */
export type TabPage = {
  name: string
  label: string
  content(): ReactNode
  /** false leaves it out. */
  shown?: boolean
}

/** The parts of a page, one at a time. Which one is in the address. */
export function TabPages({ tabs: all }: { tabs: readonly TabPage[] }) {
  const { searchParams } = useAddressState()
  const navigate = useNavigate()
  const tabs = all.filter((tab) => tab.shown !== false)
  const shown = tabs.find(({ name }) => name === searchParams.tab) ?? tabs[0]
  if (shown === undefined) return null
  return (
    <Tabs
      value={shown.name}
      onChange={(name) =>
        // The state that a list of another tab keeps in the address means nothing here.
        void navigate({ to: '.', search: name === tabs[0]?.name ? {} : { tab: name ?? '' } } as never)
      }
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {tabs.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown.name}>{shown.content()}</Tabs.Panel>
    </Tabs>
  )
}
