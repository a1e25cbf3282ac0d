import type { ClientChange, ClientToCreate } from '@gatehouse/admin-api/generated/openapi'
import { declareFields } from '../form/field-words.ts'
import { certificateFieldTexts } from './certificate-field-texts.ts'

/** Fields of a client that have buttons of their own. */
export const otherClientFields = ['disabled', 'client_secret'] as const

/** Fields that no form about a client shows. */
export const withoutAlways = [...otherClientFields, 'roles'] as const

/** Fields that the form for the settings of a client does not show. */
export const formlessClientFields = [...withoutAlways, 'jwks', 'jwks_uri'] as const

/** The fields that mean something only for clients of some methods, with these. */
const methodsOf: Readonly<Record<string, readonly unknown[]>> = {
  jwks: ['private_key_jwt', 'self_signed_tls_client_auth'],
  jwks_uri: ['private_key_jwt', 'self_signed_tls_client_auth'],
  token_endpoint_auth_signing_alg: ['private_key_jwt'],
  assertion_audience: ['private_key_jwt'],
  tls_client_auth_subject_dn: ['tls_client_auth'],
  tls_client_auth_san_dns: ['tls_client_auth'],
  tls_client_auth_san_uri: ['tls_client_auth'],
  tls_client_auth_san_ip: ['tls_client_auth'],
  tls_client_auth_san_email: ['tls_client_auth'],
}

/** Fields about the keys or the certificate by which a client proves who it is. */
export const proofFields = Object.keys(methodsOf)

/** The fields about keys and certificates that mean nothing for a client, by its method. */
export function hidesProofFields({
  token_endpoint_auth_method: method,
}: {
  readonly token_endpoint_auth_method?: unknown
}): readonly string[] {
  return proofFields.filter((name) => !methodsOf[name]?.includes(method))
}

type Field = Exclude<
  keyof ClientToCreate | keyof ClientChange,
  'revision' | (typeof otherClientFields)[number]
>

/** The words for the fields of a client, by the names of the API. */
export const fieldTexts = declareFields<Field>({
  en: {
    roles: [
      'Roles',
      'The roles that the client itself has at resource servers. They count for tokens without a user, at resource servers whose scopes roles give.',
    ],
  },
  de: {
    client_id: ['Client-ID', 'Die ID des Clients; ohne Angabe eine neue.'],
    client_name: [
      'Name',
      'Der Name, den Benutzer sehen, wenn sie um Zustimmung gebeten werden; ohne Angabe die Client-ID.',
    ],
    redirect_uris: [
      'Redirect-URIs',
      'Die Adressen, an die Codes gesendet werden dürfen. Nötig für den Grant authorization_code.',
    ],
    grant_types: [
      'Grant-Typen',
      'Die Grants, die der Client verwenden darf; ohne Angabe authorization_code.',
    ],
    scope: [
      'Scope',
      'Die Scopes, die der Client verlangen darf, durch Leerzeichen getrennt; ohne Angabe read.',
    ],
    token_endpoint_auth_method: [
      'Authentifizierung am Token-Endpunkt',
      'Ohne Angabe client_secret_basic; none für einen öffentlichen Client, wenn solche erlaubt sind.',
    ],
    jwks: [
      'Öffentliche Schlüssel',
      'Die öffentlichen Schlüssel des Clients, für private_key_jwt; entweder sie oder jwks_uri.',
    ],
    jwks_uri: [
      'Adresse der öffentlichen Schlüssel',
      'Die https-Adresse, unter der der Client seine öffentlichen Schlüssel als JSON Web Key Set veröffentlicht; entweder sie oder jwks.',
    ],
    token_endpoint_auth_signing_alg: [
      'Algorithmus der Assertions',
      'Der Algorithmus, mit dem der Client seine Assertions signieren muss; ohne Angabe jeder von ihnen.',
    ],
    assertion_audience: [
      'Empfänger der Assertions',
      'Der Claim aud, den Assertions haben müssen: nur der Issuer (issuer, ohne Angabe) oder auch die Adresse eines Endpunkts, wie ältere Bibliotheken sie senden (token_endpoint_too).',
    ],
    ...certificateFieldTexts.de,
    first_party: ['Eigene App', 'Eine eigene App fragt die Benutzer nicht nach ihrer Zustimmung.'],
    client_uri: ['Startseite', 'Die Adresse einer Seite über den Client.'],
    logo_uri: [
      'Logo',
      'Die https-Adresse eines Bildes des Clients. Die Seite, die um Zustimmung bittet, zeigt es, wenn ein Administrator den Client angelegt hat.',
    ],
    policy_uri: [
      'Datenschutzerklärung',
      'Die https-Adresse einer Seite, die sagt, wie der Client die Daten seiner Benutzer verwendet.',
    ],
    tos_uri: [
      'Nutzungsbedingungen',
      'Die https-Adresse der Bedingungen, unter denen man den Client benutzt.',
    ],
    contacts: ['Kontakte', 'Wie man die Verantwortlichen erreicht, etwa E-Mail-Adressen.'],
    software_id: [
      'Software-ID',
      'Kennzeichnet die Software des Clients; dieselbe für alle Installationen und Versionen.',
    ],
    software_version: ['Software-Version', 'Die Version der Software des Clients.'],
    access_token_lifetime: [
      'Gültigkeit von Access-Tokens',
      'Wie viele Sekunden Access-Tokens des Clients gültig sind, von 60 Sekunden bis 7 Tage; ohne Angabe OAUTH2_ACCESS_TOKEN_TTL.',
    ],
    id_token_signed_response_alg: [
      'Algorithmus der ID-Tokens',
      'Der Algorithmus, mit dem die ID-Tokens des Clients signiert werden; ohne Angabe RS256.',
    ],
    default_max_age: [
      'Längste Zeit seit der Anmeldung',
      'In Sekunden. Wer sich vor längerer Zeit angemeldet hat, meldet sich neu an; ohne Angabe ist das nicht nötig.',
    ],
    require_pushed_authorization_requests: [
      'Übermittelte Anfragen verlangen',
      'Ob der Client seine Autorisierungsanfragen vorab übermitteln muss (RFC 9126); sonst wie OAUTH2_PUSHED_AUTHORIZATION_REQUESTS es sagt.',
    ],
    require_pkce: [
      'PKCE verlangen',
      'Ob der Client eine Code-Challenge (RFC 7636) senden muss; ohne Angabe muss er. Nehmen Sie einen Client mit Secret nur aus, wenn seine Bibliothek das nicht kann: Ohne PKCE lässt sich ein gestohlener Code in einer anderen Sitzung verwenden.',
    ],
    require_nonce: [
      'Nonce ohne PKCE verlangen',
      'Ob ein Client, der keine Code-Challenge senden muss, ohne eine solche den Scope openid und eine Nonce senden muss; ohne Angabe muss er (RFC 9700 Abschnitt 2.1.1).',
    ],
    default_resource: [
      'Voreingestellter Resource-Server',
      'Die Kennung des Resource-Servers, für den die Tokens sind, die der Client ohne resource (RFC 8707 Abschnitt 2) und ohne den Scope openid verlangt. Für Clients, die resource nicht senden können; ohne Angabe keiner. Solange kein aktiver Resource-Server diese Kennung hat, werden solche Anfragen abgelehnt.',
    ],
    roles: [
      'Rollen',
      'Die Rollen, die der Client selbst bei Resource-Servern hat. Sie zählen für Tokens ohne Benutzer, bei Resource-Servern, deren Scopes Rollen geben.',
    ],
    roles_of: [
      'Rollen in ID-Tokens',
      'Die Kennung des Resource-Servers, dessen Rollen eines Benutzers der Scope roles dem Client in ID-Tokens und bei userinfo zeigt; ohne Angabe keiner.',
    ],
    claims_shape: [
      'Form von Rollen und Gruppen',
      'In ID-Tokens und bei userinfo: Listen von Texten in roles und groups (flat), oder wie Keycloak sie schreibt (keycloak); ohne Angabe flat.',
    ],
    organizations: [
      'Organisationen',
      'Ob Benutzer in einer Organisation handeln, wenn sie sich bei dem Client anmelden: nie (off), wenn sie wollen (optional) oder immer (required); ohne Angabe off. Dann kommt derselbe sub womöglich mit mehreren org_id: ein Client, der Organisationen kennt, muss seine Daten nach beiden trennen.',
    ],
    organization: [
      'Organisation',
      'Die Kennung der Organisation, der der Client gehört. Tokens, die der Client für sich selbst bekommt, haben sie als org_id, und es gibt keine, solange sie deaktiviert ist; ohne Angabe keine. Über Tokens von Benutzern entscheidet sie nichts.',
    ],
    application_type: [
      'Art der App',
      'Ob der Client auf einem Webserver oder in einem Browser läuft (web) oder auf einem Gerät der Benutzer (native).',
    ],
    post_logout_redirect_uris: [
      'Adressen nach der Abmeldung',
      'Die Adressen, zu denen der Client Browser nach einer Abmeldung leiten darf; es gelten dieselben Regeln wie für Redirect-URIs.',
    ],
    allowed_origins: [
      'Ursprünge der Seiten der App',
      'Die Ursprünge, deren Seiten für den Client die Endpunkte für Tokens, Widerruf und userinfo aufrufen dürfen (CORS), etwa https://app.example.com; ohne Angabe die seiner Redirect-URIs mit http und https. Im Profil interface zählen sie nicht.',
    ],
    backchannel_logout_uri: [
      'Adresse für Logout-Tokens',
      'Die Adresse, an die ein Logout-Token gesendet wird, wenn eine Sitzung endet, in der man sich beim Client angemeldet hat: eine https-Adresse oder eine http-Adresse dieser Maschine.',
    ],
    id_token_user_claims: [
      'Angaben zum Benutzer in ID-Tokens',
      'Ob ID-Tokens auch enthalten, was die Scopes profile und email bei userinfo geben. Für Apps, die dort nicht fragen, wie die von Auth.js.',
    ],
    backchannel_logout_session_required: [
      'Sitzungs-ID in Logout-Tokens',
      'Ob der Client den Claim sid in Logout-Tokens braucht. Sie haben ihn immer.',
    ],
  },
  ar: {
    client_id: ['معرّف العميل', 'معرّف العميل؛ إن لم يُذكر فمعرّف جديد.'],
    client_name: ['الاسم', 'الاسم الذي يراه الناس عندما تُطلب موافقتهم؛ إن لم يُذكر فمعرّف العميل.'],
    redirect_uris: [
      'عناوين إعادة التوجيه',
      'العناوين التي يجوز إرسال رموز التفويض إليها. مطلوبة للمنحة authorization_code.',
    ],
    grant_types: ['أنواع المنح', 'المنح التي يجوز للعميل استخدامها؛ إن لم تُذكر فهي authorization_code.'],
    scope: ['النطاق', 'النطاقات التي يجوز للعميل طلبها، تفصل المسافات بينها؛ إن لم تُذكر فهي read.'],
    token_endpoint_auth_method: [
      'المصادقة عند نقطة نهاية الرموز',
      'إن لم تُذكر فهي client_secret_basic؛ و none لعميل عام إن كان مسموحًا به.',
    ],
    jwks: ['المفاتيح العامة', 'المفاتيح العامة للعميل، من أجل private_key_jwt؛ إما هي أو jwks_uri.'],
    jwks_uri: [
      'عنوان المفاتيح العامة',
      'عنوان https الذي ينشر فيه العميل مفاتيحه العامة على هيئة JSON Web Key Set؛ إما هو أو jwks.',
    ],
    token_endpoint_auth_signing_alg: [
      'خوارزمية التأكيدات',
      'الخوارزمية التي يجب أن يوقّع بها العميل تأكيداته؛ إن لم تُذكر فأيٌّ منها.',
    ],
    assertion_audience: [
      'جمهور التأكيدات',
      'قيمة aud التي يجب أن تحملها التأكيدات: المُصدِر وحده (issuer، وهو الافتراضي) أو كذلك عنوان نقطة نهاية، كما ترسله مكتبات قديمة (token_endpoint_too).',
    ],
    ...certificateFieldTexts.ar,
    first_party: ['طرف أول', 'العميل من طرف أول لا يطلب موافقة المستخدمين.'],
    client_uri: ['الصفحة الرئيسية', 'عنوان صفحة عن العميل.'],
    logo_uri: ['الشعار', 'عنوان https لصورة للعميل. تعرضها صفحة الموافقة إذا أنشأ العميلَ أحدُ المسؤولين.'],
    policy_uri: ['سياسة الخصوصية', 'عنوان https لصفحة تبيّن كيف يستخدم العميل بيانات مستخدميه.'],
    tos_uri: ['شروط الخدمة', 'عنوان https للشروط التي يُستخدم العميل بموجبها.'],
    contacts: ['جهات الاتصال', 'كيف يمكن الوصول إلى المسؤولين عن العميل، مثل عناوين البريد الإلكتروني.'],
    software_id: ['معرّف البرنامج', 'يحدّد برنامج العميل؛ وهو نفسه لكل نسخه وإصداراته.'],
    software_version: ['إصدار البرنامج', 'إصدار برنامج العميل.'],
    access_token_lifetime: [
      'مدة صلاحية رموز الوصول',
      'كم ثانية تبقى رموز وصول العميل صالحة، من 60 ثانية إلى 7 أيام؛ إن لم تُذكر فهي OAUTH2_ACCESS_TOKEN_TTL.',
    ],
    id_token_signed_response_alg: [
      'خوارزمية رموز الهوية',
      'الخوارزمية التي تُوقَّع بها رموز هوية العميل؛ إن لم تُذكر فهي RS256.',
    ],
    default_max_age: [
      'أطول مدة منذ تسجيل الدخول',
      'بالثواني. من سجّل الدخول قبل ذلك يسجّله من جديد؛ إن لم تُذكر فلا يلزم ذلك.',
    ],
    require_pushed_authorization_requests: [
      'اشتراط الطلبات المُرسلة مسبقًا',
      'هل يجب على العميل إرسال طلبات التفويض مسبقًا (RFC 9126)؛ وإلا فكما يحدد OAUTH2_PUSHED_AUTHORIZATION_REQUESTS.',
    ],
    require_pkce: [
      'اشتراط PKCE',
      'هل يجب أن يرسل العميل تحدي الرمز (RFC 7636)؛ إن لم يُذكر فيجب. لا تستثنِ عميلًا له سر إلا إذا كانت مكتبته لا تدعم ذلك: بدون PKCE يمكن استخدام رمز مسروق في جلسة أخرى.',
    ],
    require_nonce: [
      'اشتراط nonce بدون PKCE',
      'هل يجب على عميل لا يلزمه تحدي الرمز أن يرسل النطاق openid وقيمة nonce حين لا يرسل تحديًا؛ إن لم يُذكر فيجب (RFC 9700 القسم 2.1.1).',
    ],
    default_resource: [
      'خادم الموارد الافتراضي',
      'معرّف خادم الموارد الذي تكون له الرموز التي يطلبها العميل بدون resource (RFC 8707 القسم 2) وبدون النطاق openid. للعملاء الذين لا يمكنهم إرسال resource؛ إن لم يُذكر فلا شيء. وما دام لا يوجد خادم موارد نشط له هذا المعرّف تُرفض هذه الطلبات.',
    ],
    roles: [
      'الأدوار',
      'الأدوار التي للعميل نفسه عند خوادم الموارد. تسري على الرموز التي ليس لها مستخدم، عند خوادم الموارد التي تعطي الأدوارُ نطاقاتها.',
    ],
    roles_of: [
      'الأدوار في رموز الهوية',
      'معرّف خادم الموارد الذي يعرض النطاق roles للعميل أدوار المستخدم فيه، في رموز الهوية وعند userinfo؛ إن لم يُذكر فلا شيء.',
    ],
    claims_shape: [
      'شكل الأدوار والمجموعات',
      'في رموز الهوية وعند userinfo: قوائم نصوص في roles و groups (flat)، أو كما يكتبها Keycloak (keycloak)؛ إن لم يُذكر فهو flat.',
    ],
    organizations: [
      'المؤسسات',
      'هل يعمل المستخدمون ضمن مؤسسة حين يسجّلون الدخول إلى العميل: أبدًا (off)، أو إن أرادوا (optional)، أو دائمًا (required)؛ إن لم يُذكر فهو off. عندئذ قد يأتي sub نفسه مع أكثر من org_id: فعلى العميل الذي يعرف المؤسسات أن يفصل بياناته بكليهما.',
    ],
    organization: [
      'المؤسسة',
      'معرّف المؤسسة التي تملك العميل. تحمله الرموز التي يحصل عليها العميل لنفسه باسم org_id، ولا تُصدر ما دامت المؤسسة معطّلة؛ إن لم يُذكر فلا شيء. ولا يقرّر شيئًا بشأن رموز المستخدمين.',
    ],
    application_type: [
      'نوع التطبيق',
      'هل يعمل العميل على خادم ويب أو في متصفح (web)، أو على جهاز من أجهزة مستخدميه (native).',
    ],
    post_logout_redirect_uris: [
      'العناوين بعد تسجيل الخروج',
      'العناوين التي يجوز للعميل توجيه المتصفحات إليها بعد تسجيل الخروج؛ بالقواعد نفسها التي لعناوين إعادة التوجيه.',
    ],
    allowed_origins: [
      'أصول صفحات التطبيق',
      'الأصول التي يجوز لصفحاتها أن تستدعي من أجل العميل نقاط نهاية الرموز والإبطال و userinfo (CORS)، مثل https://app.example.com؛ إن لم تُذكر فهي أصول عناوين إعادة التوجيه التي تبدأ بـ http أو https. لا أثر لها في ملف الإعداد interface.',
    ],
    backchannel_logout_uri: [
      'عنوان رموز تسجيل الخروج',
      'العنوان الذي يُرسل إليه رمز تسجيل الخروج عند انتهاء جلسة سُجّل فيها الدخول إلى العميل: عنوان https، أو عنوان http لهذا الجهاز.',
    ],
    id_token_user_claims: [
      'بيانات المستخدم في رموز الهوية',
      'هل تحتوي رموز الهوية أيضًا على ما يعطيه النطاقان profile و email عند userinfo. للتطبيقات التي لا تسأل هناك، مثل تطبيقات Auth.js.',
    ],
    backchannel_logout_session_required: [
      'معرّف الجلسة في رموز تسجيل الخروج',
      'هل يحتاج العميل إلى المطالبة sid في رموز تسجيل الخروج. وهي موجودة فيها دائمًا.',
    ],
  },
})
