import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RequestHandler } from 'express'
import type { ExportPage } from '../../openapi/desk.gen.ts'
import { callerOf } from '../http/locals.ts'
import { sendFault, sendRefusal } from '../http/send-problem.ts'
import type { CursorScope } from '../paging/cursor.ts'
import { exportLines } from '../paging/export-lines.ts'
import { exportPage } from '../paging/export-page.ts'
import { permitExport } from '../rules/permit.ts'
import { viewOf } from '../rules/view.ts'
import type { DeskReads } from '../store/store.ts'
import type { RouteDependencies } from './dependencies.ts'
import { queryOf } from './parsed.ts'

const NDJSON = 'application/x-ndjson'

export function exportDeskRoute({ store, cursors, metrics }: RouteDependencies): RequestHandler {
  return async (request, response) => {
    const caller = callerOf(response)
    const permitted = permitExport(caller)
    if (!permitted.ok) {
      sendRefusal(response, permitted.refusal)
      return
    }
    const { cursor } = queryOf<'exportDesk'>(request)
    const scope: CursorScope = { list: 'export', caller, filter: {} }
    const after = cursor === undefined ? null : cursors.open(scope, cursor)
    if (after === undefined) {
      sendFault(response, { kind: 'invalid_cursor', field: 'cursor' })
      return
    }
    if (request.accepts(['application/json', NDJSON]) === NDJSON) {
      response.set('Content-Type', NDJSON)
      if (request.method === 'HEAD') {
        response.end()
        return
      }
      // Waits for a slow reader, and stops reading the desk when the reader goes away.
      await pipeline(
        Readable.from(exportLines(counted(store, metrics.exported), after, viewOf(caller))),
        response,
      ).catch((error: unknown) => {
        if (!isReaderGone(error)) throw error
      })
      return
    }
    const sealComments = (ticket: string, key: string) =>
      cursors.seal({ list: 'comments', caller, filter: { ticket } }, key)
    const page = await store.snapshot((desk) => exportPage(desk, after, viewOf(caller), sealComments))
    metrics.exported(page.tickets.length)
    response.json({
      tickets: page.tickets,
      total: page.total,
      next_cursor: page.next === null ? null : cursors.seal(scope, page.next),
    } satisfies ExportPage)
  }
}

function counted(desk: DeskReads, onTickets: (count: number) => void): DeskReads {
  return {
    ...desk,
    listAllTickets: async (request, view) => {
      const page = await desk.listAllTickets(request, view)
      onTickets(page.rows.length)
      return page
    },
  }
}

function isReaderGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}
