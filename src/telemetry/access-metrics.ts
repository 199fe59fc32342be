// Metrics of who comes in: HTTP requests, the tokens they bring, and those who bring none.
import { combinationsOf, createCounter, createDurations, type MetricsRegistry } from './instruments.ts'

const VERIFICATIONS = ['cached', 'verified', 'refused', 'issuer_unavailable'] as const
const HTTP_METHODS = ['GET', 'POST', 'other'] as const
/** `/mcp` stands for the endpoint wherever PUBLIC_URL puts it, so that one dashboard fits all. */
const ROUTES = ['/mcp', '/healthz', '/readyz', '/.well-known/oauth-protected-resource', 'other'] as const
const ENDPOINT_STATUSES = ['200', '202', '400', '401', '403', '413', '415', '429', '500', '503'] as const
/** 499: the client left before there was an answer. */
const STATUSES = [...ENDPOINT_STATUSES, '204', '404', '405', '499', 'other'] as const

export interface HttpRequest {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

export interface AccessMetrics {
  readonly request: (request: HttpRequest) => void
  readonly verified: (result: (typeof VERIFICATIONS)[number]) => void
  readonly strangerRefused: () => void
}

export function createAccessMetrics(registry: MetricsRegistry): AccessMetrics {
  const status = 'http_response_status_code'
  const at = (method: string, route: string, statuses: readonly string[]) =>
    combinationsOf({ http_request_method: [method], http_route: [route], [status]: statuses })
  const requests = createDurations(registry, {
    name: 'http_server_request_duration_seconds',
    help: 'How long HTTP requests take to their last byte. 499: the client left first. Event streams are not among them: desk_gateway_open_streams.',
    labels: { http_request_method: HTTP_METHODS, http_route: ROUTES, [status]: STATUSES },
    atStart: [
      ...at('POST', '/mcp', ENDPOINT_STATUSES),
      ...at('GET', '/healthz', ['200']),
      ...at('GET', '/readyz', ['200', '503']),
      ...at('GET', '/.well-known/oauth-protected-resource', ['200']),
    ],
  })
  const verifications = createCounter(registry, {
    name: 'desk_gateway_token_verifications_total',
    help: 'Tokens that requests brought: known already, verified, refused, or not to be judged because the keys of the issuer are out of reach.',
    labels: { result: VERIFICATIONS },
  })
  const strangers = createCounter(registry, {
    name: 'desk_gateway_strangers_refused_total',
    help: 'Requests answered 429 because their address asked too often without a valid token.',
    labels: {},
  })
  return {
    request: ({ method, route, status, seconds }) => {
      requests(
        { http_request_method: method, http_route: route, http_response_status_code: String(status) },
        seconds,
      )
    },
    verified: (result) => {
      verifications({ result })
    },
    strangerRefused: () => {
      strangers({})
    },
  }
}
