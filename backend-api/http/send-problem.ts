import type { Response } from 'express'
import type { Problem } from '../../openapi/desk.gen.ts'
import { problemOfFault } from '../fault.ts'
import type { Fault } from '../fault.ts'
import { problemOf } from '../problem.ts'
import type { ProblemReply } from '../problem.ts'
import type { Refusal } from '../rules/refusal.ts'

/** Answers with what a rule refused. */
export function sendRefusal(response: Response, refusal: Refusal): void {
  send(response, problemOf(refusal))
}

/** Answers with what is wrong with the request. */
export function sendFault(response: Response, fault: Fault): void {
  send(response, problemOfFault(fault))
}

function send(response: Response, { problem, headers }: ProblemReply): void {
  response.locals.problemCode = problem.code
  const document: Problem = { ...problem, request_id: response.locals.requestId }
  response.status(problem.status).set(headers).type('application/problem+json').json(document)
}
