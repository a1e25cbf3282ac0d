import {
  Button,
  Divider,
  Popover,
  SegmentedControl,
  Select,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core'
import { type Language, languages, useLanguage, useTexts } from '../texts/language.ts'
import { roleTexts } from '../texts/role.ts'
import { shellTexts } from './texts.ts'

/** Where the documentation of this server is; undefined where it has none. */
const documentation = document.querySelector<HTMLMetaElement>('meta[name=documentation]')?.content

/** The menu of the logged-in administrator: account, documentation, language, colors and logout. @param role the name of their role */
export function PersonMenu({ name, role }: { name: string; role: string | undefined }) {
  const t = useTexts(shellTexts)
  const { titles } = useTexts(roleTexts)
  const { language, choose } = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const item = { variant: 'subtle', color: 'gray', justify: 'flex-start', fullWidth: true } as const
  return (
    <Popover position="bottom-end" width={280} trapFocus>
      <Popover.Target>
        <Button variant="subtle" color="gray" px="xs" style={{ flexShrink: 0 }} aria-label={t.menuOf(name)}>
          <Text size="sm" fw={500} maw="min(10rem, 20vw)" truncate>
            {name}
          </Text>
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Text size="xs" c="dimmed">
            {name}
            {role && ` · ${(titles as Readonly<Record<string, string>>)[role] ?? role}`}
          </Text>
          <Button component="a" href="/account" {...item}>
            {t.account}
          </Button>
          <Button component="a" href="/swagger-ui" {...item}>
            {t.apiReference}
          </Button>
          {documentation && (
            <Button component="a" href={documentation} {...item}>
              {t.documentation}
            </Button>
          )}
          <Divider />
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
          <Divider />
          <form method="post" action="/auth/logout">
            <Button type="submit" {...item}>
              {t.logOut}
            </Button>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
