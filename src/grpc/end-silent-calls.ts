import { ServerInterceptingCall, status as Status } from '@grpc/grpc-js'
import type { ServerInterceptor } from '@grpc/grpc-js'

/** As long as REST waits for the headers of a request. */
const REQUEST_LIMIT_MS = 15_000

/**
 * Ends a call whose request does not come. Until it has come no handler knows of the call and no key is asked for, but it is
 * open, and a server that closes waits for it.
 */
export const endSilentCalls: ServerInterceptor = (_method, call) => {
  const limit = setTimeout(
    () => call.sendStatus({ code: Status.DEADLINE_EXCEEDED, details: 'the request did not come in time' }),
    REQUEST_LIMIT_MS,
  )
  return new ServerInterceptingCall(call, {
    start: (next) =>
      next({
        onReceiveMessage(message, receive) {
          clearTimeout(limit)
          receive(message)
        },
        onReceiveHalfClose(receive) {
          clearTimeout(limit)
          receive()
        },
        onCancel: () => clearTimeout(limit),
      }),
  })
}
