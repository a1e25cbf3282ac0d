import type { ConnectionChange, ConnectionToCreate } from '@gatehouse/admin-api/generated/openapi'
import { declareFields } from '../../form/field-words.ts'

type Field = Exclude<
  keyof ConnectionToCreate | keyof ConnectionChange,
  'revision' | 'disabled' | 'kind' | 'organization' | 'mapping'
>

/** The words for the fields of a connection in forms, by the names of the API. */
export const connectionFieldTexts = declareFields<Field>({
  en: {
    client_authentication: [
      'Authentication',
      'How Gatehouse proves at the provider that it is this client: client_secret by the secret, private_key_jwt by a key that Gatehouse makes and publishes at an address of the connection.',
    ],
    new_users: [
      'New users',
      'Whether people who have no account get one at their first login. never: only people log in who have linked their account. verified_domain: people with an address that the provider has verified, in a domain that the organization has proven. always: everybody whom the provider authenticates.',
    ],
  },
  de: {
    name: ['Name', 'Was Menschen auf dem Knopf der Anmeldeseite lesen.'],
    issuer: [
      'Issuer',
      'Die Adresse, die den Anbieter benennt, so wie seine Metadaten sie nennen. Mit einem anderen Issuer enden die Anmeldungen, die über sie kamen, und die Verknüpfungen führen zu niemandem, bis der frühere wieder da ist.',
    ],
    client_id: ['Client-ID', 'Die ID von Gatehouse beim Anbieter.'],
    client_authentication: [
      'Authentifizierung',
      'Wie Gatehouse beim Anbieter beweist, dass es dieser Client ist: client_secret mit dem Secret, private_key_jwt mit einem Schlüssel, den Gatehouse erzeugt und unter einer Adresse der Verbindung veröffentlicht.',
    ],
    client_secret: [
      'Client-Secret',
      'Das Secret von Gatehouse beim Anbieter. Es wird verschlüsselt gespeichert und nie wieder gezeigt.',
    ],
    scope: [
      'Scope',
      'Die Scopes, nach denen gefragt wird, mit Leerzeichen dazwischen. openid ist immer dabei.',
    ],
    acr_values: [
      'Verlangte acr-Werte',
      'Werden bei jeder Anmeldung gesendet, mit Leerzeichen dazwischen. Eine Anmeldung, deren acr keiner davon ist, wird abgelehnt.',
    ],
    tenants: [
      'Mandanten',
      'Die IDs (tid) der Microsoft-Mandanten, deren Menschen sich anmelden dürfen. Eine Organisation muss mindestens einen nennen.',
    ],
    trusts_second_factor: [
      'Seinem zweiten Faktor vertrauen',
      'Ob eine Anmeldung mit zwei Faktoren zählt, wenn der Anbieter es in amr sagt. Sonst ist eine Anmeldung über ihn eine mit einem Faktor.',
    ],
    new_users: [
      'Neue Benutzer',
      'Ob Menschen ohne Konto bei der ersten Anmeldung eines bekommen. never: nur wer sein Konto verknüpft hat, meldet sich an. verified_domain: wer eine vom Anbieter bestätigte Adresse in einer Domain hat, die die Organisation nachgewiesen hat. always: alle, die der Anbieter authentifiziert.',
    ],
    domains: [
      'Domains',
      'Menschen mit einer Adresse in einer dieser Domains werden zu der Verbindung geführt. Bei einer Organisation zählen nur Domains, die sie nachgewiesen hat.',
    ],
    on_login_page: [
      'Auf der Anmeldeseite',
      'Ob die Anmeldeseite einen Knopf für sie hat; bei einer Verbindung einer Organisation dort, wo die App die Organisation genannt hat.',
    ],
  },
  ar: {
    name: ['الاسم', 'ما يقرؤه الناس على زر صفحة تسجيل الدخول.'],
    issuer: [
      'جهة الإصدار',
      'العنوان الذي يعرّف المزوّد كما تذكره بياناته الوصفية. مع جهة إصدار أخرى تنتهي عمليات تسجيل الدخول التي جاءت به، ولا تؤدي الروابط إلى أحد حتى تعود السابقة.',
    ],
    client_id: ['معرّف العميل', 'معرّف Gatehouse لدى المزوّد.'],
    client_authentication: [
      'المصادقة',
      'كيف يثبت Gatehouse لدى المزوّد أنه هذا العميل: client_secret بالسر، وprivate_key_jwt بمفتاح ينشئه Gatehouse وينشره عند عنوان للاتصال.',
    ],
    client_secret: ['سر العميل', 'سر Gatehouse لدى المزوّد. يُخزَّن مشفّرًا ولا يُعرض مرة أخرى أبدًا.'],
    scope: ['النطاق', 'النطاقات المطلوبة، تفصل بينها مسافات. ويكون openid بينها دائمًا.'],
    acr_values: [
      'قيم acr المطلوبة',
      'تُرسل مع كل تسجيل دخول، تفصل بينها مسافات. ويُرفض تسجيل دخول ليست قيمة acr فيه إحداها.',
    ],
    tenants: [
      'المستأجرون',
      'معرّفات (tid) مستأجري Microsoft الذين يجوز لأشخاصهم تسجيل الدخول. وعلى المؤسسة أن تسمي واحدًا على الأقل.',
    ],
    trusts_second_factor: [
      'الوثوق بعامله الثاني',
      'هل يُحتسب تسجيل الدخول بعاملين حين يقول المزوّد ذلك في amr. وإلا فهو تسجيل دخول بعامل واحد.',
    ],
    new_users: [
      'المستخدمون الجدد',
      'هل يحصل من لا حساب له على حساب عند أول تسجيل دخول. never: لا يدخل إلا من ربط حسابه. verified_domain: من له عنوان أكّده المزوّد في نطاق أثبتته المؤسسة. always: كل من يصادق عليه المزوّد.',
    ],
    domains: [
      'النطاقات',
      'يُوجَّه من لهم عنوان في أحد هذه النطاقات إلى الاتصال. وللمؤسسة لا تُحتسب إلا النطاقات التي أثبتتها.',
    ],
    on_login_page: [
      'في صفحة تسجيل الدخول',
      'هل لصفحة تسجيل الدخول زر له؛ ولاتصال مؤسسة حيث سمّى التطبيق المؤسسة.',
    ],
  },
})
