import { Burger, NavLink } from '@mantine/core'
import { createLink, Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { FailedPage, replacesPage } from '../parts/failed-page.tsx'
import { useTexts } from '../texts/language.ts'
import { useAdministrator, useSections } from './administrator.tsx'
import classes from './frame.module.css'
import { PersonMenu } from './person-menu.tsx'
import { Search } from './search.tsx'
import { SessionOver } from './session-over.tsx'
import { shellTexts } from './texts.ts'

const SectionLink = createLink(NavLink<'a'>)

/** The frame around every page: the bar with the search, and the sections. */
export function Frame() {
  const t = useTexts(shellTexts)
  const [open, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const administrator = useAdministrator()
  const sections = useSections()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes.
  useEffect(() => setOpen(false), [path])

  return (
    <div className={classes.frame}>
      {/* A button and no link: a form with changes would ask before it lets a link go. */}
      <button type="button" className={classes.skip} onClick={() => main.current?.focus()}>
        {t.skip}
      </button>
      <header className={classes.bar}>
        <Burger
          className={classes.burger}
          size="sm"
          opened={open}
          onClick={() => setOpen(!open)}
          aria-label={t.openMenu}
          aria-expanded={open}
        />
        <Link to="/" className={classes.brand}>
          Gatehouse
        </Link>
        <Search />
        <span className={classes.grow} />
        {administrator.data && <PersonMenu name={administrator.data.name} role={administrator.data.role} />}
      </header>
      <nav className={classes.side} data-open={open || undefined} aria-label={t.sections}>
        <div className={classes.sections}>
          {sections.map(({ name, path }) => (
            <SectionLink
              key={name}
              to={path}
              label={t[name]}
              activeOptions={{ exact: path === '/', includeSearch: false }}
            />
          ))}
        </div>
      </nav>
      <main ref={main} id="content" tabIndex={-1} className={classes.main}>
        {replacesPage(administrator.error, administrator.data) ? (
          <FailedPage error={administrator.error} retry={administrator.refetch} />
        ) : (
          <Outlet />
        )}
      </main>
      <SessionOver />
    </div>
  )
}
