#version 450
// Rendering: a microfacet material under two lights, tone mapped, in sRGB.
//! grid 1
//! buffer 0.0 = 32 * (f32[3] 0.1..1, f32 0.2..0.9, f32[3] 0.1..1, f32 0.1..0.9)
//! buffer 0.1 = f32[128] 0
//! uniform 0.2 = view: f32[3] {0.3 0.5 0.8}, exposure: f32 1.5, 2 * (dir: f32[3] 0.2..0.9, intensity: f32 3, colour: f32[3] 0.5..1, falloff: f32 1)
//! grad 0.1 by 0.0
//! near 0.1 2e-5
#define PI 3.14159265359
layout(local_size_x = 32) in;
struct Light { vec3 dir; float intensity; vec3 colour; float falloff; };
struct Material { vec3 base; float roughness; vec3 normal; float metallic; };
layout(std430, binding = 0) readonly buffer M { Material mats[]; };
layout(std430, binding = 1) writeonly buffer O { vec4 o[]; };
layout(std140, binding = 2) uniform U { vec3 view; float exposure; Light lights[2]; } u;
float saturate(float x) { return clamp(x, 0.0, 1.0); }
float pow5(float x) { float x2 = x * x; return x2 * x2 * x; }
float D_GGX(float NoH, float a) { float a2 = a * a; float f = (NoH * a2 - NoH) * NoH + 1.0; return a2 / (PI * f * f); }
vec3 F_Schlick(const vec3 f0, float f90, float VoH) { return f0 + (f90 - f0) * pow5(1.0 - VoH); }
float V_Smith(float NoV, float NoL, float a) {
  float a2 = a * a;
  float v = NoL * sqrt((NoV - a2 * NoV) * NoV + a2);
  float l = NoV * sqrt((NoL - a2 * NoL) * NoL + a2);
  return 0.5 / (v + l);
}
vec3 aces(vec3 x) { const float a = 2.51, b = 0.03, c = 2.43, d = 0.59, e = 0.14; return clamp((x * (a * x + b)) / (x * (c * x + d) + e), 0.0, 1.0); }
vec3 srgb(vec3 c) { return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }
void main() {
  uint i = gl_GlobalInvocationID.x;
  Material m = mats[i];
  vec3 n = normalize(m.normal), v = normalize(u.view);
  vec3 f0 = mix(vec3(0.04), m.base, m.metallic), diff = (1.0 - m.metallic) * m.base;
  float a = m.roughness * m.roughness;
  vec3 sum = vec3(0.0);
  for (int k = 0; k < u.lights.length(); ++k) {
    vec3 l = normalize(u.lights[k].dir), h = normalize(v + l);
    float NoV = abs(dot(n, v)) + 1e-5, NoL = saturate(dot(n, l)), NoH = saturate(dot(n, h)), LoH = saturate(dot(l, h));
    if (NoL <= 0.0) continue;
    vec3 F = F_Schlick(f0, 1.0, LoH);
    vec3 spec = D_GGX(NoH, a) * V_Smith(NoV, NoL, a) * F;
    sum += (spec + diff / PI * (1.0 - F)) * u.lights[k].colour * u.lights[k].intensity * NoL * exp(-u.lights[k].falloff * 0.1);
  }
  o[i] = vec4(srgb(aces(sum * u.exposure)), 1.0);
}
