# Run in this folder: gnuplot peak.gp
set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 1100,560 enhanced font 'Helvetica,14' background rgb 'white'
set output 'peak.svg'
set title "Factored attention near its interpolation peak, L = q = 20, L-BFGS\nmean Hamming distance, penalty, V"
set logscale xy
set xlabel 'sequences per parameter of a site, alpha = M / (L - 1)'
set ylabel 'test loss (nats per site)'
set key outside right top Left reverse samplen 3 font ',11'
plot '< grep -E "^distance|^0.9,fixed,1e-6," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 1 pt 5 title '0.9, 1e-6, V known', \
     '< grep -E "^distance|^0.9,learned,1e-6," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 1 pt 6 title '0.9, 1e-6, V learned', \
     '< grep -E "^distance|^0.9,fixed,1e-8," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 2 pt 5 title '0.9, 1e-8, V known', \
     '< grep -E "^distance|^0.9,learned,1e-8," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 2 pt 6 title '0.9, 1e-8, V learned', \
     '< grep -E "^distance|^0.9,fixed,1e-10," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 3 pt 5 title '0.9, 1e-10, V known', \
     '< grep -E "^distance|^0.9,learned,1e-10," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 3 pt 6 title '0.9, 1e-10, V learned', \
     '< grep -E "^distance|^0.3,fixed,1e-6," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 1 pt 5 title '0.3, 1e-6, V known', \
     '< grep -E "^distance|^0.3,learned,1e-6," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 1 pt 6 title '0.3, 1e-6, V learned', \
     '< grep -E "^distance|^0.3,fixed,1e-8," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 2 pt 5 title '0.3, 1e-8, V known', \
     '< grep -E "^distance|^0.3,learned,1e-8," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 2 pt 6 title '0.3, 1e-8, V learned', \
     '< grep -E "^distance|^0.3,fixed,1e-10," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 3 pt 5 title '0.3, 1e-10, V known', \
     '< grep -E "^distance|^0.3,learned,1e-10," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 3 pt 6 title '0.3, 1e-10, V learned'
unset output
set terminal pngcairo size 1100,560 enhanced font 'Helvetica,14' background rgb 'white'
set output 'peak.png'
set title "Factored attention near its interpolation peak, L = q = 20, L-BFGS\nmean Hamming distance, penalty, V"
set logscale xy
set xlabel 'sequences per parameter of a site, alpha = M / (L - 1)'
set ylabel 'test loss (nats per site)'
set key outside right top Left reverse samplen 3 font ',11'
plot '< grep -E "^distance|^0.9,fixed,1e-6," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 1 pt 5 title '0.9, 1e-6, V known', \
     '< grep -E "^distance|^0.9,learned,1e-6," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 1 pt 6 title '0.9, 1e-6, V learned', \
     '< grep -E "^distance|^0.9,fixed,1e-8," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 2 pt 5 title '0.9, 1e-8, V known', \
     '< grep -E "^distance|^0.9,learned,1e-8," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 2 pt 6 title '0.9, 1e-8, V learned', \
     '< grep -E "^distance|^0.9,fixed,1e-10," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 3 pt 5 title '0.9, 1e-10, V known', \
     '< grep -E "^distance|^0.9,learned,1e-10," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#08306b' dt 3 pt 6 title '0.9, 1e-10, V learned', \
     '< grep -E "^distance|^0.3,fixed,1e-6," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 1 pt 5 title '0.3, 1e-6, V known', \
     '< grep -E "^distance|^0.3,learned,1e-6," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 1 pt 6 title '0.3, 1e-6, V learned', \
     '< grep -E "^distance|^0.3,fixed,1e-8," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 2 pt 5 title '0.3, 1e-8, V known', \
     '< grep -E "^distance|^0.3,learned,1e-8," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 2 pt 6 title '0.3, 1e-8, V learned', \
     '< grep -E "^distance|^0.3,fixed,1e-10," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 3 pt 5 title '0.3, 1e-10, V known', \
     '< grep -E "^distance|^0.3,learned,1e-10," peak.csv' using 'alpha':'test_loss' with linespoints lc rgb '#e6740b' dt 3 pt 6 title '0.3, 1e-10, V learned'
unset output
