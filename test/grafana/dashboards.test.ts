// The dashboards as files: current, complete, and with ids that links can rely on.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gateway } from '../../grafana/dashboards/gateway.ts'
import { ticketService } from '../../grafana/dashboards/ticket-service.ts'

const FOLDER = join(import.meta.dirname, '../../grafana/dashboards')

describe.each([
  { name: 'gateway', built: gateway },
  { name: 'ticket-service', built: ticketService },
])('The dashboard $name', ({ name, built }) => {
  const panels = built.panels.filter((panel) => panel.type !== 'row')

  it('is committed as its code says', async () => {
    const committed: unknown = JSON.parse(await readFile(join(FOLDER, `${name}.json`), 'utf8'))
    expect(committed).toEqual(JSON.parse(JSON.stringify(built)))
  })

  it('asks a question with each panel, and says what to do about a bad answer', () => {
    expect(panels.filter(({ title }) => !title?.endsWith('?'))).toEqual([])
    expect(
      panels.filter((panel) => !('description' in panel && /\w{3}.*\.$/.test(panel.description ?? ''))),
    ).toEqual([])
  })

  it('has an id of its own for each panel and row, and no title twice', () => {
    const ids = built.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const titles = panels.map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
  })

  it('places its panels side by side without overlap', () => {
    const cells = built.panels.flatMap(({ gridPos }) => {
      const { x, y, w, h } = gridPos ?? { x: 0, y: 0, w: 0, h: 0 }
      return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`)
    })
    expect(cells.length).toBeGreaterThan(0)
    expect(new Set(cells).size).toBe(cells.length)
    expect(cells.filter((cell) => Number.parseInt(cell) >= 24)).toEqual([])
  })
})
