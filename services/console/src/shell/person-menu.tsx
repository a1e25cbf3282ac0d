import {
  Menu,
  SegmentedControl,
  Select,
  Stack,
  Text,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core'
import { type Language, languages, useLanguage, useTexts } from '../texts/language.ts'
import { shellTexts } from './texts.ts'

/** The menu of whoever is logged in: their account, language and colors, and the logout. */
export function PersonMenu({ name, role }: { name: string; role: string }) {
  const t = useTexts(shellTexts)
  const { language, choose } = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={260} closeOnItemClick={false}>
      <Menu.Target>
        <UnstyledButton aria-label={t.menuOf(name)}>
          <Text size="sm" fw={500} maw={160} truncate>
            {name}
          </Text>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {name} · {role}
        </Menu.Label>
        <Menu.Item component="a" href="/account">
          {t.account}
        </Menu.Item>
        <Menu.Item component="a" href="/swagger-ui">
          {t.apiReference}
        </Menu.Item>
        <Menu.Divider />
        <Stack gap="xs" p="xs">
          <Select
            label={t.language}
            size="xs"
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
            value={language}
            onChange={(chosen) => choose(chosen as Language)}
          />
          <SegmentedControl
            aria-label={t.scheme}
            size="xs"
            value={colorScheme}
            onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}
            data={(['light', 'dark', 'auto'] as const).map((value) => ({ value, label: t[value] }))}
          />
        </Stack>
        <Menu.Divider />
        <Menu.Item component="a" href="/auth/logout">
          {t.logOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
