const placeholder = '[redacted]';
const headerValue = /(\bauthorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic|token|digest) +)?[^\s"',;]+/gi;
const bearerValue = /\b((?:bearer|basic) +)[\w+/=.~-]{16,}/gi;
const addressPassword = /([a-z][a-z\d+.-]{1,20}:\/\/)[^\s/@"']{1,500}@/gi;

/** Shorter secrets are not looked for: replacing every single letter would leave no readable text. */
const shortestSecret = 4;

/**
 * Returns `text` without the given secrets, their base64 and percent-encoded forms, the values of
 * `Authorization` headers, and user names and passwords in addresses. Everything that is logged goes through this function.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  const forms = [...secrets].filter((secret) => secret.length >= shortestSecret).flatMap(formsOf);
  let result = text;
  for (const form of forms.sort((a, b) => b.length - a.length)) result = result.replaceAll(form, placeholder);
  return result
    .replace(headerValue, `$1${placeholder}`)
    .replace(bearerValue, `$1${placeholder}`)
    .replace(addressPassword, `$1${placeholder}@`);
}

function formsOf(secret: string): string[] {
  const wellFormed = secret.replace(/\p{Surrogate}/gu, '\uFFFD');
  const encoded = [secret, `${secret}\n`].flatMap((plain) => {
    const padded = Buffer.from(plain, 'utf8').toString('base64');
    return [padded, padded.replace(/=+$/, ''), Buffer.from(plain, 'utf8').toString('base64url')];
  });
  return [secret, ...encoded, encodeURIComponent(wellFormed)];
}
