import { describe, expect, test } from 'vitest'
import { dashboards, selectorsIn } from './dashboards.ts'

test('there is an overview dashboard and one for the objectives', () => {
  const uids = dashboards.map(([, { uid }]) => uid)
  expect(uids.sort()).toEqual(['gatehouse-objectives', 'gatehouse-overview'])
})

describe.each(dashboards)('%s', (_file, dashboard) => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')

  test('has panels with unique ids and descriptions', () => {
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(dashboard.description).toBeTruthy()
    for (const { title, description = '' } of panels) expect(description, title).toMatch(/^[A-Z0-9].{15,}\.$/)
  })

  test('fills all 24 columns in each row of panels, without overlaps', () => {
    const cells = new Map<string, string>()
    for (const { title, gridPos } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(x, title).toBeLessThan(24)
          expect(cells.get(`${x} ${y}`), title).toBeUndefined()
          cells.set(`${x} ${y}`, title)
        }
      }
    }
    const lines = Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h))
    expect(cells.size).toBe(24 * lines)
  })

  test('has a unit for every number and a name for every line', () => {
    for (const { title, type, fieldConfig, targets = [] } of panels) {
      expect(fieldConfig?.defaults.unit, title).toBeTruthy()
      expect(targets.length, title).toBeGreaterThan(0)
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length)
      if (type === 'timeseries')
        for (const { legendFormat } of targets) expect(legendFormat, title).toBeTruthy()
    }
  })

  test('queries the Prometheus that the reader chooses', () => {
    expect(dashboard.templating.list.find(({ name }) => name === 'datasource')?.type).toBe('datasource')
    for (const { title, datasource } of panels)
      expect(datasource, title).toEqual({ type: 'prometheus', uid: '$' + '{datasource}' })
  })

  test('shows one installation, which the reader chooses', () => {
    const variable = dashboard.templating.list.find(({ name }) => name === 'installation')
    expect(variable?.definition).toBe('label_values(up{job="gatehouse"}, installation)')
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    for (const expression of expressions)
      for (const labels of selectorsIn(expression))
        expect(labels, expression).toContain('installation="$installation"')
  })

  test('uses only variables that it defines', () => {
    const own = dashboard.templating.list.map(({ name }) => name)
    const used = JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)/g)
    for (const [, name = ''] of used) expect([...own, '__rate_interval']).toContain(name)
  })
})
