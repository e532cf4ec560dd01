/** 20 November 2026: the v1 listings were deprecated before they were first served. */
const DEPRECATED_AT_S = Date.UTC(2026, 10, 20) / 1000

/**
 * The headers of every answer of a v1 listing: deprecated since when (RFC 9745), and where what replaces it is described
 * (RFC 8288).
 */
export function deprecationHeaders(public_url: string): Record<string, string> {
  return { deprecation: `@${DEPRECATED_AT_S}`, link: `<${public_url}/docs>; rel="successor-version"` }
}
