/**
 * A name as it is compared: lower case, without diacritics and apostrophes, words parted by one space. `Tol’yatti` becomes
 * `tolyatti`, `São Paulo` `sao paulo`, `Rostov-na-Donu` `rostov na donu`, `Королёв` `королев`; what has no letters or
 * digits becomes empty.
 */
export function foldName(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[\p{M}'"`‘’”ʻʼ]/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
